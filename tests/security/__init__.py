"""What somebody who means harm could do, tried: injections, other tenants' rows, secrets, rights."""
