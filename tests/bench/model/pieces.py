"""Right and wrong pieces of answers, labelled before anything ran, and what came of each.

A piece is what an answer says with its citations. In a file of `tests/data/bench_model/pieces` an answer is
a question and its pieces; the one without a `kind` is right, the others are wrong in one respect each.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final, Literal, get_args

from context.models import Reply
from context.prompts.answer_prompts import WORDING
from tests.bench.model.meetings import HOME
from tests.bench.model.prompts import ANSWER, Sent
from worker.agent.reply.speaking import AnswerNotice, notice, unverified_mark

KINDS: Final = (
    "figure",
    "day",
    "person",
    "negation",
    "proposal",
    "invented",
    "superseded",
    "order",
    "link",
)
RIGHT: Final = "right"
Fate = Literal["stands", "unverified", "marked", "taken_back", "held_back", "not_asked"]
"""What became of a piece: told as it is · told and marked as unverified, alone or with all of the reply · told with a note
behind it · told and taken back · never told · it cites what the prompt did not show, so no model could have written it."""
_TAKEN_BACK: Final = re.compile(r"^(?:정정|Correction): “(.+?)…?” – ", re.MULTILINE)
_CITATION: Final = re.compile(r"\[#[^\]]*\]")
_MOST_OF_IT: Final = 0.6
"""The share of a piece's letters in one run: one that lost its beginning or end says still what it said."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One labelled piece; `kind` is `right` or in what respect it is wrong."""

    text: str
    kind: str

    @property
    def evidence(self) -> list[int]:
        """What it cites."""
        return [int(id_) for cited in _CITATION.findall(self.text) for id_ in re.findall(r"\d+", cited)]

    @property
    def is_wrong(self) -> bool:
        """Whether it should not be told."""
        return self.kind != RIGHT


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """What a model replies to a question."""

    meeting: str
    question: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The answer as the model writes it."""
        return "\n".join(f"- {piece.text}" for piece in self.pieces)


def labelled(meeting: str) -> list[LabelledAnswer]:
    """The answers about one meeting; none where nobody has written any."""
    path = HOME / "pieces" / f"{meeting}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []
    return [
        LabelledAnswer(
            meeting,
            row["question"],
            tuple(Piece(each["text"], each.get("kind", RIGHT)) for each in row["pieces"]),
        )
        for row in rows
    ]


class WrittenAnswers:
    """Replies to the questions of an answer's prompt with what stands written, once each.

    Whoever is asked to correct an answer writes another one, and nobody knows which.
    """

    def __init__(self, answers: Iterable[tuple[str, str]]) -> None:
        """`answers`: question and text."""
        self._texts = dict(answers)

    def __call__(self, prompt: Sent) -> str | None:
        """The text for the question in the prompt."""
        return self._texts.pop(prompt.block("question"), None) if prompt.purpose == ANSWER else None


@dataclass
class Fates:
    """What came of pieces, by kind and language."""

    seen: Counter[tuple[str, str, Fate]] = field(default_factory=Counter)
    notable: list[str] = field(default_factory=list)
    """Right pieces that do not stand and wrong ones that do, one line each."""

    def note(self, answer: LabelledAnswer, language: str, fates: Sequence[Fate]) -> None:
        """One reply."""
        for piece, fate in zip(answer.pieces, fates, strict=True):
            self.seen[(piece.kind, language, fate)] += 1
            if fate == "not_asked":
                continue
            shown = fate in {"stands", "unverified"}
            if shown == piece.is_wrong:
                self.notable.append(f"{answer.meeting}: {piece.kind} {fate}: {piece.text}")

    def count(
        self, *fates: Fate, kinds: Iterable[str] = KINDS, languages: Iterable[str] = ("ko", "en")
    ) -> int:
        """Pieces of these kinds that had one of these fates; all that could have been written, without any."""
        wanted = set(kinds), set(languages)
        return sum(
            number
            for (kind, language, fate), number in self.seen.items()
            if kind in wanted[0]
            and language in wanted[1]
            and (fate in fates if fates else fate != "not_asked")
        )


def fates(answer: LabelledAnswer, reply: Reply, language: str, shown: Container[int]) -> list[Fate]:
    """What came of each piece of an answer in a reply. `shown`: the utterances in the prompt."""
    body, taken_back = _parted(reply.text, language)
    pieces = [_bare(_CITATION.sub("", piece.text)) for piece in answer.pieces]
    lines: dict[int, str] = {}
    for line in filter(None, map(str.strip, body.splitlines())):
        told = _bare(line.partition(" — ")[0])
        place = _nearest(told, pieces)
        if _run(pieces[place], told) >= _MOST_OF_IT * len(pieces[place]):
            lines[place] = line
    fallen = {_nearest(_bare(claim), pieces) for claim in taken_back}
    unverified = notice("unverified", language) in reply.text
    mark = unverified_mark(language)
    return [
        _fate(lines.get(place, ""), place in fallen, unverified or mark in lines.get(place, ""))
        if all(id_ in shown for id_ in piece.evidence)
        else "not_asked"
        for place, piece in enumerate(answer.pieces)
    ]


def _parted(text: str, language: str) -> tuple[str, list[str]]:
    """What the model was heard to say, and the claims that were taken back behind it."""
    ends = [text.find(notice(kind, language)) for kind in get_args(AnswerNotice)]
    if (first := _TAKEN_BACK.search(text)) is not None:
        ends.append(first.start())
    end = min((end for end in ends if end >= 0), default=len(text))
    return text[:end], _TAKEN_BACK.findall(text)


def _fate(line: str, fallen: bool, unverified: bool) -> Fate:
    if not line:
        return "held_back"
    if fallen:
        return "taken_back"
    if any(WORDING[each]["superseded"] in line for each in ("ko", "en")):
        return "marked"
    return "unverified" if unverified else "stands"


def _nearest(text: str, pieces: Sequence[str]) -> int:
    """The piece of which this is, or of which it is a part."""

    def likeness(place: int) -> tuple[int, float]:
        begun = pieces[place][: len(text) + 2]
        return _run(pieces[place], text), SequenceMatcher(None, text, begun, autojunk=False).ratio()

    return max(range(len(pieces)), key=likeness)


def _run(piece: str, told: str) -> int:
    return SequenceMatcher(None, piece, told, autojunk=False).find_longest_match().size


def _bare(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())
