"""The sandbox: a function in a child process, for what strangers send; no bound of ours could hold it back.

A parser of a hostile file may compute for ever, fill the memory or crash, and inside our own process none of
that can be stopped. So `call_sandboxed` starts a fresh Python that calls one function with the bytes and
gives back what it returns. The child has a deadline, a memory bound, no file that it could write, no settings
and no secrets in its environment; it is killed at the deadline, when the caller is cancelled, and when this
process is gone. `stream_sandboxed` does the same with a generator, whose pieces come as they are asked for:
the sound of a long recording, say. What a child answers is bytes, not pickles: a child that was taken over
must not take us over.
"""
