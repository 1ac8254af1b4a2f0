"""A folder of replies, each written for one prompt; another prompt gets none.

`*.jsonl`: a reply per line, `{"prompt": digest, "purpose": …, "verifier": …, "reply": …}`. Beside them may lie
what a person has written: `NAME-DIGEST.reply.txt` (or `.json`) for the prompt in `NAME-DIGEST.prompt.txt`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tests.bench.model.prompts import VERIFICATION, Sent
from worker.errors import InputError

Verifier = Literal["honest", "none", "dishonest"]
"""Whose verdicts: a strong model's, nobody's, or those of one that finds everything supported."""

_WRITTEN: Final = re.compile(r"-([0-9a-f]{16})\.reply\.(?:txt|json)$")


@dataclass
class Recorded:
    """The replies of a folder; `verifier` says whose verdicts are given."""

    folder: Path
    verifier: Verifier = "honest"
    used: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """Rows that were given, by verifier and digest."""
    _rows: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            raise InputError(f"{self.folder}: no such folder of replies")
        for path in sorted(self.folder.rglob("*.jsonl")):
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                self._keep(path, number, line)
        for path in sorted(self.folder.rglob("*.reply.*")):
            if (found := _WRITTEN.search(path.name)) is not None:
                row = {"prompt": found[1], "reply": path.read_text("utf-8")}
                self._rows[("", found[1])] = row

    def _keep(self, path: Path, number: int, line: str) -> None:
        try:
            row = json.loads(line)
            self._rows[(row.get("verifier", ""), row["prompt"])] = row
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}:{number}: no reply, a JSON object with `prompt` and `reply`") from error

    def __call__(self, prompt: Sent) -> str | None:
        """The reply to this very prompt."""
        whose = self.verifier if prompt.purpose == VERIFICATION else ""
        if whose == "none":
            return None
        key = next((key for key in ((whose, prompt.digest), ("", prompt.digest)) if key in self._rows), None)
        if key is None:
            return None
        row = self.used[key] = self._rows[key]
        return _text(row["reply"])


def _text(reply: Any) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def write_prompts(folder: Path, meeting: str, prompts: Iterable[Sent]) -> None:
    """Prompts as files, for whoever writes the replies beside them."""
    place = folder / meeting
    place.mkdir(parents=True, exist_ok=True)
    for prompt in prompts:
        (place / f"{prompt.purpose}-{prompt.digest}.prompt.txt").write_text(prompt.in_words(), "utf-8")


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """A file of replies, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    path.write_text("\n".join([*lines, ""]), "utf-8")
