"""Plain sentences, each between two lines of small talk: which are noted as what they are.

And pairs of statements of one meeting: which later ones are shown beside an earlier one, and which are told as one. Both sets (`tests/data/plain`)
were written by somebody who had read neither the code nor what is trained on, and nothing is trained on them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from context.models import Statement, Summary
from context.plain.facade import summarise
from context.reading.repeating import repeats
from context.reading.replacing import SURE_CHANCE, revision_chance
from tests.bench.figures import Figure
from tests.training.meetings import utterances

DATA: Final = Path(__file__).parents[1] / "data" / "plain"
_ACTS: Final = ("decision", "task", "open")
_PEOPLE: Final = {"ko": ("곽두팔", "탁정렬", "봉미선"), "en": ("Quenby", "Osric", "Ludo")}
"""Who says a row's three lines: names that no row has."""
_UNNAMED: Final = ("me", "self", "you", "unnamed", "none", "all", None)
_FOUND: Final = 0.95
_TAKEN: Final = 0.01


def plain_sentences(folder: Path | None) -> list[Figure]:
    """The shares found and taken, by language and act, and those of pairs that are shown together."""
    where = folder / "plain" if folder is not None and (folder / "plain").is_dir() else DATA
    sets = [where / "sentences.jsonl", *sorted(where.glob("sentences_*.jsonl"))]
    return [figure for path in sets for figure in _of_sentences(path)] + _of_pairs(where / "pairs.jsonl")


def noted(row: dict[str, Any]) -> tuple[str, str | None]:
    """What a row's sentence is noted as, in a meeting of three lines: an act, or `none`; and whose task it is."""
    lines = [row["small_talk_before"], row["text"], row["small_talk_after"]]
    names = _PEOPLE[row["language"]]
    said = utterances([{"speaker": name, "text": text} for name, text in zip(names, lines, strict=True)])
    found = summarise(Summary(), said)
    told = [("decision", each) for each in found.decisions]
    told += [("open" if each.kind == "open" else "task", each) for each in found.pending]
    return next(((act, each.owner) for act, each in told if _is_of(each, row["text"])), ("none", None))


def _is_of(statement: Statement, text: str) -> bool:
    return 2 in statement.evidence or statement.text in text


def _of_sentences(path: Path) -> list[Figure]:
    rows = _rows(path)
    told = [noted(row) for row in rows]
    counts = Counter((row["language"], _kind(row), act) for row, (act, _) in zip(rows, told, strict=True))
    of_set = path.stem.removeprefix("sentences").replace("_", " ")
    figures: list[Figure] = []
    for language in ("ko", "en"):
        found = right = 0
        for act in _ACTS:
            of = {as_what: counts[language, act, as_what] for as_what in (*_ACTS, "none")}
            whole = sum(of.values())
            found, right = found + whole, right + of[act]
            wrong = ", ".join(f"{much} {name}" for name, much in of.items() if name != act and much)
            figures.append(_share(f"{language}{of_set}: {act} found", of[act], whole, note=wrong))
        figures.append(_share(f"{language}{of_set}: found", right, found, goal=_FOUND))
        others = {as_what: counts[language, "none", as_what] for as_what in (*_ACTS, "none")}
        taken = sum(others.values()) - others["none"]
        wrong = ", ".join(f"{others[act]} {act}" for act in _ACTS if others[act])
        figures.append(
            _share(
                f"{language}{of_set}: others taken",
                taken,
                sum(others.values()),
                goal=_TAKEN,
                least=False,
                note=wrong,
            )
        )
        tasks = [
            (row["owner"], owner)
            for row, (act, owner) in zip(rows, told, strict=True)
            if row["language"] == language and row["act"] == act == "task" and row["owner"] not in _UNNAMED
        ]
        right = sum(_is_name(gold, owner) for gold, owner in tasks)
        speaker = sum(owner == _PEOPLE[language][1] for _, owner in tasks)
        name = f"{language}{of_set}: tasks of somebody who is named and away, with this owner"
        figures.append(_share(name, right, len(tasks), note=f"{speaker} with the speaker"))
    return figures


def _is_name(gold: str, told: str | None) -> bool:
    """Whether it is that name, or a part of it, or has a title besides."""
    return told is not None and (told.lower() in gold.lower() or gold.lower() in told.lower())


def _kind(row: dict[str, Any]) -> str:
    return row["act"] if row["act"] in _ACTS else "none"


def _of_pairs(path: Path) -> list[Figure]:
    rows = _rows(path)
    shown = Counter(
        (row["language"], row["relation"])
        for row in rows
        if revision_chance(row["later"], row["earlier"]) >= SURE_CHANCE
    )
    of = Counter((row["language"], row["relation"]) for row in rows)
    figures: list[Figure] = []
    for language in ("ko", "en"):
        every = sum(shown[language, relation] for relation in ("replaces", "same", "other"))
        of_one = every - shown[language, "other"]
        for relation, name in (
            ("replaces", "a change"),
            ("same", "a restatement"),
            ("other", "another matter"),
        ):
            figures.append(
                _share(f"{language}: {name} shown beside", shown[language, relation], of[language, relation])
            )
        figures.append(_share(f"{language}: shown beside, of one matter", of_one, every, goal=0.98))
    return [*figures, *_told_as_one(rows, of)]


def _told_as_one(rows: Sequence[dict[str, Any]], of: Counter[tuple[str, str]]) -> list[Figure]:
    """How many pairs of each kind are told as one; those of another matter, or of a change, would be lost."""
    told = Counter(
        (row["language"], row["relation"]) for row in rows if repeats(row["later"], row["earlier"])
    )
    figures: list[Figure] = []
    for language in ("ko", "en"):
        every = sum(told[language, relation] for relation in ("replaces", "same", "other"))
        again = told[language, "same"]
        figures.append(_share(f"{language}: a restatement told as one", again, of[language, "same"]))
        figures.append(_share(f"{language}: told as one, restatements", again, every, goal=0.98))
    return figures


def _share(
    name: str, part: int, whole: int, *, goal: float | None = None, least: bool = True, note: str = ""
) -> Figure:
    told = f"{part} of {whole}" + (f"; {note}" if note else "")
    return Figure(name, part / max(1, whole), "", goal=goal, note=told, at_least=least)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
