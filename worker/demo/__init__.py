"""`moim demo`: a scripted meeting with real sound in a real room, and the people who play it."""
