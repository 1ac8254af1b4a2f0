"""One process per machine that holds the local speech model; everybody else holds a client."""
