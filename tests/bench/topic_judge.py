"""What a judge of topics' beginnings is asked, and what its verdicts are worth, on labelled meetings.

A language model is asked where the trained detectors are unsure (`JudgeTopic`). Three stand-ins answer here,
a few utterances later: one who knows the labels, one who knows them in four cases of five, and one who flips
a coin. Beside them stands the fold without a judge. Meetings: team meetings from `tests/data/labels`, which
the detectors have not been trained on, and with `--data` those of `topics` and `ko-topics`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from context.events.effects import Effect, JudgeTopic
from context.events.topic_events import TopicJudged
from tests.bench import topics as labelled
from tests.bench.figures import Figure
from tests.bench.segmentation import f1
from tests.bench.topics import Labelled

_TEAMS: Final = Path(__file__).parents[1] / "data" / "labels" / "meetings"
_ANSWERED_AFTER: Final = 3
"""Utterances that a verdict takes."""
_WITHIN: Final = {"teams ko": 1, "teams en": 1, "concat": 3, "qblock": 3}
_WITHIN_QMSUM: Final = 10
"""Turns between a found and a labelled beginning, as the other benches of topics have them."""
_JUDGES: Final = {"who knows the labels": 1.0, "right in four cases of five": 0.8, "who flips a coin": 0.5}
_WORD_MS: Final = {"ko": 600, "en": 400}


@dataclass(slots=True)
class Judge:
    """Says of what it is asked whether a labelled beginning is near, rightly so often."""

    gold: Sequence[int]
    within: int
    right: float
    dice: random.Random
    asked: int = 0

    def verdict(self, ask: JudgeTopic) -> TopicJudged:
        """Its verdict; with `right` of a half it says nothing but what the coin says."""
        self.asked += 1
        near = any(abs(ask.at_utterance - 1 - turn) <= self.within for turn in self.gold)
        changed = near if self.dice.random() < self.right else not near
        return TopicJudged(at_utterance=ask.at_utterance, changed=changed, confidence=1.0)


def topic_judge(data: Path | None = None) -> list[Figure]:
    """F1 of beginnings with each judge beside none, and how often it is asked in an hour of talk."""
    return [figure for name, meetings in _sets(data).items() for figure in _figures(name, meetings)]


def _sets(data: Path | None) -> dict[str, list[Labelled]]:
    found = {f"teams {language}": _teams(language) for language in ("ko", "en")}
    if data is not None:
        name, meetings = labelled.held_back(data)
        found[name] = meetings
        found |= {name: labelled.assembly_meetings(data, name) for name in ("concat", "qblock")}
    return found


def _teams(language: str) -> list[Labelled]:
    found = (json.loads(path.read_text("utf-8")) for path in sorted(_TEAMS.glob("*.json")))
    return [
        Labelled(
            speakers=[line["speaker"] for line in each["lines"]],
            texts=[line["text"] for line in each["lines"]],
            gold=[number - 1 for number in each["topics"] if number > 1],
        )
        for each in found
        if each["language"] == language
    ]


def _figures(name: str, meetings: Sequence[Labelled]) -> list[Figure]:
    within = _WITHIN.get(name, _WITHIN_QMSUM)
    language = "en" if name.startswith(("QMSum", "teams en")) else "ko"
    words = sum(len(text.split()) for meeting in meetings for text in meeting.texts)
    hours = words * _WORD_MS[language] / 3_600_000

    def mean_f1(judge_of: Callable[[Labelled], Judge | None]) -> tuple[float, int]:
        scores, asked = list[float](), 0
        for meeting in meetings:
            judge = judge_of(meeting)
            starts = judged_by(meeting, judge)
            scores.append(f1(meeting.gold, starts, within))
            asked += judge.asked if judge is not None else 0
        return sum(scores) / len(scores), asked

    without, _ = mean_f1(lambda _meeting: None)
    figures: list[Figure] = []
    for which, right in _JUDGES.items():
        dice = random.Random(right)

        def judge(meeting: Labelled, right: float = right, dice: random.Random = dice) -> Judge:
            return Judge(meeting.gold, within, right, dice)

        score, asked = mean_f1(judge)
        goal = without if right > 0.5 else None
        title = f"{name}, F1@{within} with a judge {which} ({asked / hours:.1f} questions an hour)"
        figures.append(Figure(title, score, "", goal, "no judge", without, at_least=True))
    return figures


def judged_by(meeting: Labelled, judge: Judge | None) -> list[int]:
    """Where the fold began topics (0-based turns) with this judge's verdicts, or without a judge."""
    due: list[tuple[int, TopicJudged]] = []
    turn = 0

    def carry_out(effects: Sequence[Effect]) -> Sequence[TopicJudged]:
        nonlocal turn
        turn += 1
        if judge is not None:
            asked = (each for each in effects if isinstance(each, JudgeTopic))
            due.extend((turn + _ANSWERED_AFTER, judge.verdict(each)) for each in asked)
        ripe = [verdict for when, verdict in due if when <= turn]
        due[:] = [(when, verdict) for when, verdict in due if when > turn]
        return ripe

    return labelled.online(meeting, carry_out, judged=judge is not None)[0]
