"""One answer, made in steps: seed 002's graph, in its fixed order; `answering` runs it."""
