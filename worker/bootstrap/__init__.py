"""Choosing adapters and engines by the settings: the one package that knows them by name.

All else asks for a port. `parts` is what holding meetings takes; `database`, `streams`, `rooms`,
`meeting_room` and `pushes` open Postgres, Redis, LiveKit and the webhook; the others make the engines. What
few processes need is imported when it is used: a job loads no HTTP client that its settings do not ask for.
"""
