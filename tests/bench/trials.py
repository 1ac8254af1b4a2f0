"""Small invented meetings, each asked everything about it: what a newcomer would try first.

A trial (`tests/data/trials`) holds the lines, and for each question the utterances that answer it, the
ones to be decided or superseded, the tasks, and where topics begin. It goes through `moim replay` as a
user would run it, with the extractive engine. They were written before anything was tuned to them; a
question counts as answered where the reply quotes at least one of its utterances, and as right where it
quotes the last of them (the one that stands) and no more than three others. What nobody said ("who was
there?") has words instead that the reply must say.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.bench.figures import Figure
from worker.errors import InputError

TRIALS: Final = Path(__file__).parents[2] / "tests" / "data" / "trials"
_AGREED_WITHIN: Final = 3
"""A decision may cite its proposal too, so many utterances before."""
_EXTRA: Final = 3
"""So many other utterances may stand beside the right one."""


@dataclass(slots=True)
class Tally:
    """Right of all, with what was wrong in words."""

    right: int = 0
    of: int = 0
    wrong: list[str] = field(default_factory=list)

    def count(self, right: bool, what: str) -> None:
        """One more."""
        self.of += 1
        self.right += right
        if not right:
            self.wrong.append(what)

    @property
    def share(self) -> float:
        """Right of all."""
        return self.right / max(1, self.of)


def trials(data: Path | None = None) -> list[Figure]:
    """Answers, declines, decisions, changes, tasks and topics of the trials, each a share that was right."""
    folder = data / "trials" if data and (data / "trials").is_dir() else TRIALS
    tallies = {name: Tally() for name in ("answered", "declined", "decided", "changed", "tasks", "topics")}
    for path in sorted(folder.glob("*.json")):
        trial = json.loads(path.read_text("utf-8"))
        _judge(trial, _replayed(trial), tallies)
    for name, tally in tallies.items():
        for what in tally.wrong:
            print(f"trials: {name}: {what}", file=sys.stderr)
    return [
        Figure(f"trials, {name} right ({tally.right} of {tally.of})", tally.share, "", at_least=True)
        for name, tally in tallies.items()
    ]


def _replayed(trial: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / f"{trial['id']}.jsonl"
        lines.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in trial["lines"]), "utf-8")
        asks = [part for ask in trial["asks"] for part in ("--ask", ask["question"])]
        command = [sys.executable, "-m", "worker", "replay", str(lines), "--json", *asks]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{trial['id']}: moim replay ended with {done.returncode}: {done.stderr[-400:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _judge(trial: dict[str, Any], document: dict[str, Any], tallies: dict[str, Tally]) -> None:
    _judge_replies(trial, document["replies"], tallies)
    _judge_decisions(trial, [d for topic in document["topics"] for d in topic["decisions"]], tallies)
    name = trial["id"]
    pending = [p for topic in document["topics"] for p in topic["pending"]]
    for task in trial["actions"]:
        right = any(_is_task(task, p, document["participants"]) for p in pending)
        tallies["tasks"].count(right, f"{name}: {_line(trial, task['id'])} ({task['owner']}, {task['due']})")
    starts = {topic["first_utterance"] for topic in document["topics"]}
    for start in sorted(starts | set(trial["topics"])):
        tallies["topics"].count(start in starts and start in trial["topics"], f"{name}: topic at {start}")


def _judge_replies(trial: dict[str, Any], replies: list[dict[str, Any]], tallies: dict[str, Tally]) -> None:
    for ask, reply in zip(trial["asks"], replies, strict=True):
        said = f"{trial['id']}: {ask['question']} → {reply['evidence']}, wanted {ask['evidence']}"
        if ask["declined"]:
            tallies["declined"].count(reply["declined"], said)
        elif ask.get("says"):
            right = not reply["declined"] and all(word in reply["text"] for word in ask["says"])
            tallies["answered"].count(right, f"{said}, to say {ask['says']}")
        else:
            tallies["answered"].count(_answers(ask["evidence"], reply["evidence"]), said)


def _judge_decisions(
    trial: dict[str, Any], decisions: list[dict[str, Any]], tallies: dict[str, Tally]
) -> None:
    name = trial["id"]
    decided = {i for d in decisions for i in d["evidence"]}
    for wanted in trial["decisions"]:
        tallies["decided"].count(wanted in decided, f"{name}: {_line(trial, wanted)} is no decision")
    agreed = {near for i in trial["decisions"] for near in range(i - _AGREED_WITHIN, i + 1)}
    for found in decisions:
        if not set(found["evidence"]) & agreed:
            tallies["decided"].count(False, f"{name}: {found['text']} is no decision, but was taken for one")
    again = {i for d in decisions for i in d.get("takes_up", ())}
    changed = {
        i
        for d in decisions
        if d.get("superseded_by") or not again.isdisjoint(d["evidence"])
        for i in d["evidence"]
    }
    for wanted in {*trial["superseded"], *changed}:
        wrong = "was taken for changed" if wanted in changed else "was changed"
        right = wanted in changed and wanted in trial["superseded"]
        tallies["changed"].count(right, f"{name}: {_line(trial, wanted)} {wrong}")


def _answers(wanted: list[int], found: list[int]) -> bool:
    if len(wanted) > 1 and not set(wanted) & set(found):
        return False
    return wanted[-1] in found and len(set(found) - set(wanted)) <= _EXTRA


def _is_task(task: dict[str, Any], item: dict[str, Any], people: Iterable[dict[str, Any]]) -> bool:
    names = {person["id"]: person["name"] for person in people}
    owner = str(item.get("owner") or "")
    return (
        task["id"] in item["evidence"]
        and task["owner"] in (owner, names.get(owner, ""))
        and task["due"].lower() in str(item.get("due") or "").lower()
    )


def _line(trial: dict[str, Any], number: int) -> str:
    return f"#{number} {trial['lines'][number - 1]['text']}"
