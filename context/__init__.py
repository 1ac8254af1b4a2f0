"""What a meeting is: pure. Events in, effects out; no vendor, no event loop, no clock, no dice."""
