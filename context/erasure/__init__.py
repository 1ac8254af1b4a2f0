"""Words that people take back: what goes, what rested on it, and the meeting without both."""
