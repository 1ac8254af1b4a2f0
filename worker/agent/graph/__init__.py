"""One answer, made in steps: seed 002's graph, in the order of ruling 24."""
