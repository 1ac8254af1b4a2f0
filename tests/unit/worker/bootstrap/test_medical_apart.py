"""The medical pack is imported where the settings name it, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_JOB = """
import sys
import worker.process.preload, worker.process.entrypoint, worker.process.text_worker
from worker.__main__ import main
code = main(["replay", sys.argv[1], "--ask", "아스피린을 먹어도 되나요?"])
print([name for name in sys.modules if name.startswith(("context.packs.medical", "medcat"))], file=sys.stderr)
sys.exit(code)
"""
"""Imports what a job imports, then takes a meeting and a question through the whole pipeline."""


@pytest.mark.parametrize(("packs", "imported"), [("meeting", False), ("meeting,medical", True)])
def test_a_job_imports_the_medical_pack_only_where_it_is_wanted(
    tmp_path: Path, packs: str, imported: bool
) -> None:
    meeting = tmp_path / "meeting.jsonl"
    meeting.write_text('{"speaker": "민지", "text": "저는 와파린을 먹어요."}\n', "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _JOB, str(meeting)],
        env=os.environ | {"MOIM_ENTITY_PACKS": packs},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("context.packs.medical.pack" in done.stderr) == imported
    assert ("context.packs.medical" in done.stderr) == imported
    assert "medcat" not in done.stderr
    assert ("와파린 (aspirin + warfarin)" in done.stdout) == imported
