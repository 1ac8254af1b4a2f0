"""Replies by what they are about, for prompts that have changed: whoever accepts says that they still hold.

A verdict is about a claim and its citations, an answer about a question, a statement about the utterances
that it cites. Whether a topic begins, the labels say. Where a prompt only words its rules otherwise, shows other neighbours or cuts topics elsewhere,
what was written once still holds; a person has to say so (`--accept`), since no rule can.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.bench.model.meetings import HOME, GoldMeeting
from tests.bench.model.prompts import VERIFICATION, Claimed, Sent
from tests.bench.model.recorded import Recorded, Verifier

_EARLIER: Final = re.compile(r"<earlier_decisions>.*?</earlier_decisions>", re.DOTALL)
"""The decisions of other topics: they may be replaced, not told again."""
_CITED: Final = re.compile(r"\[#(\d+)\]")
_BEGINS_AT: Final = re.compile(r"\[#(\d+)\](?:\?$|에서 새 주제가)", re.MULTILINE)
"""The utterance about which a judge of topics is asked."""
_NEAR: Final = 1
"""A labelled beginning so many utterances away is the one that is asked about."""
_FIELDS: Final = {
    "summary": ("sentence", 6),
    "key_points": ("point", 5),
    "decisions": ("decision", 20),
    "pending": ("pending", 20),
}
_GOOD: Final = {
    "completeness_score": 10,
    "overall_quality": 0.95,
    "missing_info": [],
    "needs_retrieval": False,
    "suggested_query": "",
}
"""The grade of an answer that a person let count."""


def _written(name: str, meeting: str) -> list[dict[str, Any]]:
    path = HOME / "written" / name / f"{meeting}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


class Written:
    """What a strong model wrote of one meeting, by what it is about."""

    def __init__(self, gold: GoldMeeting, verifier: Verifier) -> None:
        self._gold, self._verifier = gold, verifier
        self._verdicts: dict[str, list[dict[str, Any]]] = {}
        for row in _written("verdicts", gold.id):
            self._verdicts.setdefault(row["claim"], []).append(row)
        self._answers = {row["question"]: row["answer"] for row in _written("answers", gold.id)}
        self._statements = _written("statements", gold.id)
        self.rows: list[dict[str, Any]] = []
        """What was accepted, as a folder of replies keeps it."""
        self.unjudged: dict[tuple[str, tuple[int, ...]], Claimed] = {}
        """Claims without a verdict."""

    def __call__(self, prompt: Sent) -> str | None:
        """The reply; accepted from now on for this very prompt."""
        reply = self._reply(prompt)
        if reply is None:
            return None
        row = {"prompt": prompt.digest, "purpose": prompt.purpose, "reply": reply}
        if prompt.purpose == VERIFICATION:
            row["verifier"] = self._verifier
        self.rows.append(row)
        return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)

    def _reply(self, prompt: Sent) -> dict[str, Any] | str | None:
        match prompt.purpose:
            case "verification":
                return self._verified(prompt.claims, set(prompt.shown))
            case "answer":
                return self._answers.get(prompt.block("question"))
            case "summary":
                return self._summary(prompt)
            case "quality":
                return _GOOD if prompt.block("question") in self._answers else None
            case "topic_detection":
                return self._judged(prompt)
            case _:
                return None

    def _judged(self, prompt: Sent) -> dict[str, Any] | None:
        """Whether a topic begins there, by the labels; it is called what the nearest statement behind it is."""
        asked = _BEGINS_AT.search(prompt.material)
        if asked is None:
            return None
        at = int(asked[1])
        begins = any(abs(topic - at) <= _NEAR for topic in self._gold.topics)
        behind = [row for row in self._statements if min(row["evidence"]) >= at]
        name = min(behind, key=lambda row: min(row["evidence"]))["topic"] if behind else ""
        return {"topic_changed": begins, "current_topic": name, "confidence": 0.9}

    def _verified(self, claims: Sequence[Claimed], shown: set[int]) -> dict[str, Any] | None:
        if self._verifier == "none":
            return None
        if self._verifier == "dishonest":
            return {"verdicts": [{"claim": each.number, "verdict": "supported"} for each in claims]}
        rows = [self._row(each) for each in claims]
        missing = [each for each, row in zip(claims, rows, strict=True) if row is None]
        self.unjudged |= {(each.text, each.evidence): each for each in missing}
        if missing or not claims:
            return None
        return {
            "verdicts": [
                {"claim": each.number} | _verdict(row, shown)
                for each, row in zip(claims, rows, strict=True)
                if row is not None
            ]
        }

    def _row(self, claim: Claimed) -> dict[str, Any] | None:
        """The verdict on these words with these citations, or with some of them: more bear out no less."""
        rows = self._verdicts.get(claim.text, [])
        exact = (row for row in rows if tuple(row["evidence"]) == claim.evidence)
        near = (row for row in rows if set(row["evidence"]) <= set(claim.evidence))
        return next(exact, None) or next(near, None)

    def _summary(self, prompt: Sent) -> dict[str, Any] | None:
        """What was written of the whole meeting and rests on what this prompt shows."""
        mine = _EARLIER.sub("", prompt.material)
        known = {int(id_) for id_ in _CITED.findall(mine)}
        new, told = set(prompt.shown), [row for row in self._statements if known.issuperset(row["evidence"])]
        if told and not any(row["as"] == "sentence" for row in told):  # of a short topic
            told = [{**told[0], "as": "sentence"}, *told]
        topics = Counter(row["topic"] for row in told if new & set(row["evidence"]))
        standing = {int(id_) for id_ in _CITED.findall(prompt.material)}
        fields = {
            name: [_statement(row, standing) for row in told if row["as"] == as_][:most]
            for name, (as_, most) in _FIELDS.items()
        }
        return {"topic_name": topics.most_common(1)[0][0] if topics else "", **fields, "keywords": []}


def _statement(row: dict[str, Any], standing: set[int]) -> dict[str, Any]:
    told = {key: value for key, value in row.items() if key not in {"as", "topic", "replaces"}}
    replaces = [id_ for id_ in row.get("replaces", ()) if id_ in standing]
    return told | ({"replaces": replaces} if replaces else {})


def _verdict(row: dict[str, Any], shown: set[int]) -> dict[str, Any]:
    """The verdict of an honest verifier who sees no more than the prompt: what it did not see changed nothing."""
    if "rests_on" in row and shown.isdisjoint(row["rests_on"]):
        return {"verdict": "supported"}
    verdict = {key: row[key] for key in ("verdict", "status") if key in row}
    changed = [id_ for id_ in row.get("changed", ()) if id_ in shown]
    return verdict | ({"changed": changed} if changed else {})


def kept(
    folder: Path, meeting: str, recorded: Sequence[Recorded], written: Sequence[Written]
) -> list[dict[str, Any]]:
    """The rows of a meeting's file: what was given in these runs and what was accepted; what was not is gone."""
    rows = [row for each in recorded for row in each.used.values()]
    rows += [row for each in written for row in each.rows]
    by_key = {(row.get("verifier", ""), row["prompt"]): row for row in rows}
    return [by_key[key] for key in sorted(by_key)]
