"""One meeting at work: its inbox, its fold, and the slow work beside it."""
