"""`moim dev`: every part of Moim on one machine, as child processes that are kept alive."""
