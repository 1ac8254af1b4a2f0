"""`python -m tests.bench.local_engine --model FILE`: llama.cpp's own HTTP server around one model.

Run by `python -m tests.bench local-llm` as a process of its own: Moim itself neither needs xllamacpp nor imports it.
Says `{"url": …}` on stdout once it listens, or `{"error": …}`; ends with its parent.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
from collections.abc import Sequence

from stt.engine.serving import die_with


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until a signal."""
    options = _parse(arguments)
    os.nice(options.nice)
    if options.parent:
        die_with(options.parent)
    # What the C++ server logs goes to stderr; stdout is ours.
    sys.path.insert(0, options.engine)
    try:
        llama = importlib.import_module("xllamacpp")
        server = llama.Server(_parameters(llama, options))
    except Exception as error:  # noqa: BLE001 - whatever the engine raises is one line to its parent
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
        return 1
    print(json.dumps({"url": f"{server.listening_address}/v1"}), flush=True)
    signal.pause()
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.local_engine", description=__doc__)
    parser.add_argument("--model", required=True, help="a GGUF file")
    parser.add_argument("--engine", required=True, help="a folder to import xllamacpp from")
    parser.add_argument("--name", default="local", help="what the model is called")
    parser.add_argument("--context", type=int, default=8192, help="tokens of a slot")
    parser.add_argument("--slots", type=int, default=2, help="requests at a time")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--nice", type=int, default=10)
    parser.add_argument("--parent", type=int, default=0, help="end when this process does")
    return parser.parse_args(arguments)


def _parameters(llama: object, options: argparse.Namespace) -> object:
    params = llama.CommonParams()  # type: ignore[attr-defined]  # not installed where this is checked
    params.model.path = options.model
    params.model_alias = {options.name}
    params.n_ctx = options.context * options.slots
    params.n_parallel = options.slots
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.endpoint_slots = True
    params.sampling.temp = 0.0
    return params


if __name__ == "__main__":
    sys.exit(main())
