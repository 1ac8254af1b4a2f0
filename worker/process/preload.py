"""Imported once, in the fork server that all job processes of a worker come from.

What is loaded here is shared by all jobs, page by page, and no meeting waits for it: the exact
tokenizer alone is 145 MB and a second of work, the voice detector 32 MB. Nothing here may open a
connection, and no thread that somebody needs may be started: those do not survive a fork.

onnxruntime starts a thread when it is imported. The detector's session has no thread pool and
never needs it: a forked process runs the model as fast as its parent. Only the runtime's own
teardown would wait for that thread, and there is none: job processes end by `os._exit`.
"""

from __future__ import annotations

import multiprocessing.popen_forkserver  # noqa: F401 - by name, in each job as it is born
import os
import sys
from contextlib import suppress

import anyio._backends._asyncio  # noqa: F401 - the SDK's, by name at the first request; 15 MB of each job
import openai.resources.audio.audio
import openai.resources.chat.completions  # noqa: F401 - the SDK loads it at the first request, in each job

import stt.engine.client
import stt.engine.server
import stt.providers.openai_compatible  # noqa: F401 - imported when settings ask for it, as the engine's client
import worker.agent.graph.graph  # LangGraph: two seconds and 70 MB, once for all meetings
import worker.embeddings.client
import worker.process.entrypoint  # noqa: F401 - for what it brings along
from context.budget import ExactTokenizer
from stt.providers.tls import trusted
from stt.vad import VadMissing, shared_model
from worker.process.parent_death import die_with_parent

if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    # A worker that is killed takes its jobs with it, at once: another takes over sooner, and a job
    # that was just being started does not wait for ever for a worker that is gone.
    # The fork server itself does so since `worker.process.preload_names`.
    os.register_at_fork(after_in_child=die_with_parent)

ExactTokenizer().count("모임")
trusted()
with suppress(VadMissing):  # the job says so, where it can be heard
    shared_model()
