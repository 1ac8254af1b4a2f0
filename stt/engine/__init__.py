"""The process that holds a machine's local speech model (or encoder), and the client that asks it."""
