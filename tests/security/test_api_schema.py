"""Schemathesis asks the API everything that its own description allows, and much that it does not."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.unit.worker.web.conftest import quota, settings, site  # noqa: F401 - the fixture
from tests.unit.worker.web.server import TOKEN, Site


async def test_no_answer_is_a_fault_of_ours_or_undocumented(site: Site, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    await site.registry.want("회의실", meeting_id="m-1")
    site.answers.pieces = [{"text": "20일입니다.", "evidence": [1]}]
    address = f"http://127.0.0.1:{site.port}/v1/openapi.json"
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run", address),
        *("--checks", checks, "--max-examples", "30", "--generation-deterministic", "--no-color"),
        *("--header", f"Authorization: Bearer {TOKEN}".encode().decode("latin-1")),
        *("--exclude-path", "/v1/meetings/{meeting_id}/events"),  # never ends: tests/unit/worker/web has it
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()[-12_000:]
