"""Claims held against their evidence, kind by kind: words, figures, names, polarity."""
