"""Speech engines: from a voiced stretch to segments."""
