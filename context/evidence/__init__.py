"""What a claim is held against in its evidence, kind by kind: words, figures, names, yes and no."""
