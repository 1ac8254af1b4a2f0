"""How people raise, announce and name topics: phrases of one turn, or of a sentence over several of them."""
