"""What the fork server imports and does, once, for all the job processes that are forked from it.

livekit-agents forks each job from one process, the fork server. A page of memory that a
job only reads stays shared with its siblings, so whatever is the same for each meeting is done here, before
the first fork: modules are imported (the exact tokenizer is 65 MB, the voice detector 32 MB, LangGraph 70 MB
and two seconds of work), settings are read, logging is set up and a short made-up meeting is held
(`worker.process.job_image`), so that Python has specialised its bytecode and compiled its patterns. Without
any of it a job works all the same; it is only larger, and later with its first words.

Nothing here may open a connection or start a thread that a job needs: neither survives a fork. onnxruntime
starts a thread when it is imported, but the detector's session has no thread pool and never needs it. Only
the runtime's own teardown would wait for that thread, and there is none: job processes end by `os._exit`.
"""

from __future__ import annotations

import gc
import multiprocessing.popen_forkserver  # noqa: F401 - by name, in each job as it is born
from contextlib import suppress

import anyio._backends._asyncio  # noqa: F401 - httpx2's, by name at the first request; 15 MB of each job
from opentelemetry.sdk.resources import Resource

import stt.engine.engine_client
import stt.engine.engine_server
import stt.providers.openai_compatible  # noqa: F401 - imported when settings ask for it, as the engine's client
import worker.agent.graph.graph  # LangGraph: two seconds and 70 MB, once for all meetings
import worker.embeddings.embedding_client
import worker.process.entrypoint  # noqa: F401 - for what it brings along
from context.budgets.tokens import ExactTokenizer
from stt.endpoint.certificates import trusted
from stt.vad import VadMissing, shared_model
from worker.process import job_image

ExactTokenizer().count("모임")
trusted()
with suppress(VadMissing):  # the job says so, where it can be heard
    shared_model()
Resource.create()  # livekit-agents asks in each job what is installed; the answer is kept
job_image.make()
gc.collect()  # what goes now leaves no hole later: behind this livekit-agents freezes what is there
