"""Imported by the fork server, after `worker.process.preload`: makes it the image that jobs are born with."""

import gc
import hashlib
import re
import sys
from contextlib import suppress

import livekit.agents.ipc._preload  # noqa: F401 - its imports, too, come before what jobs are born with
from opentelemetry.sdk.resources import Resource

from worker.process import job_image
from worker.process.heap import give_back
from worker.process.layout import (
    fill_holes,
    fill_pools,
    gather_log_caches,
    gather_module_names,
    lay_out,
    number,
)

Resource.create()  # livekit-agents asks in each job what is installed; the answer is kept
for pattern in (rb"v=([^,]+)", rb"r=([^,]+),", rb",s=([^,]+),", rb",i=(\d+),?"):
    re.compile(pattern)  # as asyncpg does at each job's first login; `re` keeps them
hashlib.pbkdf2_hmac("sha256", b"login", b"salt", 1)  # at the same; OpenSSL keeps what it looks up for it
gather_log_caches()
gather_module_names()
job_image.make()
with suppress(OSError):  # a list that is not there makes jobs larger, nothing else
    lay_out()
# What was looked up while importing is of no use to jobs, and taking it out of the table would be theirs.
sys._clear_type_cache()  # noqa: SLF001 - the only door to it
job_image.make()
number()
gc.collect()  # what goes now leaves no hole later: before livekit-agents freezes what is there, it collects
give_back()
fill_holes()
fill_pools()
