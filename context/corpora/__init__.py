"""What can be looked up: this meeting, earlier meetings, documents; one shape for all of them."""
