"""A model's answer on its way out: let through piece by piece what its citations bear out.

The model writes `… is on the 22nd. [#12]`. A piece is what ends in citations, or a line. It goes out, its
citations turned into names and times, when it cites shown utterances and nothing about it is certainly wrong
(`context.statements.checks.certain_fault`): a figure, a day or a name that nobody said, a quotation that was
not said, a link, an order obeyed. What it means, a verifier judges behind the last word; where none is within
reach, each piece is marked as unverified. Dropped pieces are counted.

A line without a citation is a heading that the prompt offers, or the name of a topic of this meeting, and
waits for the piece that it announces. What the question says is no heading: whoever asks could have anything
said by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Final

from context.evidence.claim_parts import sentences_of
from context.evidence.claim_words import comparable, forms_stand, same_script, stems
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.edits import edit_mark, without_edit_marks
from context.language.instructions import as_read, tells_of_obeying
from context.models import Utterance
from context.primitives.text import inert_claim, inert_name
from context.primitives.undated import local
from context.prompts.answer_prompts import HEADINGS, RESPONSE_TEMPLATE
from context.prompts.citing import (
    CITATION,
    as_cited,
    balanced,
    bracketed,
    ids_of,
    may_cite,
    without_numbering,
)
from context.statements.checks import certain_fault, sources_of
from context.statements.verdicts import Claim
from worker.agent.reply.foreign_words import GAP_MARK, with_gap

NOTHING_FOUND: Final = "NO_EVIDENCE"
"""What the model is told to write where its prompt holds no answer."""

_GROUP: Final = re.compile(rf"[ \t]*{CITATION}(?:[ \t,]{{0,4}}{CITATION})*[.!?。,]*")
_LEADING: Final = re.compile(
    rf"^(\s*(?:(?:\d{{1,2}}[.)]|[-*•])\s+)?){CITATION}(?:[ \t,]{{0,4}}{CITATION})*[ \t.,:]*"
)
"""A citation before what it bears out, as the lines of a prompt have it."""
_CITES_ALONE: Final = re.compile(
    rf"[ \t]*(?:[-*•>]\s+)?(?:\**(?:sources?|evidence|출처|근거)\**\s?[:：]\**\s?)?"
    rf"{CITATION}(?:[ \t,]{{0,4}}{CITATION})*[ \t.,*]*(?=\n|\Z)",
    re.IGNORECASE,
)
"""A line that holds citations and nothing else: they are those of the line before, if that has none."""
_MAY_CITE_ALONE: Final = re.compile(
    r"[^\n]{0,24}|[ \t]*(?:[-*•>]\s+)?(?:\**\w{1,9}\**\s?[:：]\**\s?)?[\[(（【［][^\n]{0,80}"
)
_LIST_MARK: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+")
_CLOCK: Final = re.compile(r"\(?\b\d{1,2}:\d{2}:\d{2}\b\)?")
"""A time to the second is copied from the prompt; nobody says one, so it is no claim."""
_ENDINGS: Final = stems("이야기하겠습니다 했습니다 합니다 입니다 있습니다 습니다 해요 하세요 둡니다")
"""Endings of Korean sentences: that two sentences share one says nothing."""
_LINES_BEFORE: Final = 5
"""Utterances before a cited one whose words it goes on from."""
_LIST_NUMBER: Final = re.compile(r"^[#*\s]*(?:\d{1,2}[.)]\s+)?")
_RECITED_LETTERS: Final = 24
"""A piece with so many letters in a row of the rules recites them; their own example of an answer has 18."""
_MAX_PIECE_CHARS: Final = 4000
"""A model that babbles on without a citation or a line break is cut off here."""
_HEARD_CHARACTERS: Final = 2000
"""So much of a text tells what it is: an answer, a refusal, a call of a tool."""
_WRAPPING: Final = re.compile(r"</?(?:final_?)?(?:answer|response|output|result|답변|답)>", re.IGNORECASE)
"""Tags in which a small model wraps its answer."""
_BLANKS: Final = re.compile(r"[ \t]{3,}")


_Left = tuple[str, str | None, list[str]]
"""The text left of a piece; why nothing of it may be let out, or None; why sentences of it were left out."""


class CitedText:
    """The filter for one answer. `feed` it what the model writes; what it returns may be shown."""

    def __init__(
        self,
        shown: Sequence[Utterance],
        *,
        zone: tzinfo | None = None,
        cited_as: Mapping[int, str] | None = None,
        rules: str = "",
        steering: Sequence[str] = (),
        on_claim: Callable[[Claim], None] = lambda _claim: None,
        mark: str = "",
        wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
        asked: str = "",
        language: str = "",
        headings: Sequence[str] = (),
        people: Sequence[str] = (),
    ) -> None:
        """`shown`: the utterances in the prompt, the only ones that may be cited.

        - `zone`: for the times of day in attributions; None: as the utterances have it.
        - `cited_as`: by id, how stand-ins for passages from elsewhere are named (`context.prompts.quoting`).
        - `rules`: the model's instructions; a piece that recites them is held back.
        - `steering`: texts of the prompt that are meant to steer the model; their words are let out only with
          a citation of who said them.
        - `on_claim` is told each claim that is let out.
        - `mark` stands behind each piece: that no verifier will judge it; "" where one does.
        - `wake_words`: what is said to the agent by one of these bears out nothing.
        - `asked`: the questions in the prompt, which bear out nothing.
        - `language`: the asker's, `ko` or `en`; a piece in another one, unless its evidence has it, is held
          back, since it cannot be checked.
        - `headings`: the names of the meeting's topics, which may stand as headings.
        - `people`: the names of all participants, whether they spoke or not.
        """
        self._rules = _stretches(rules)
        self._asked = stems(as_read(asked))
        self._steering = stems(as_read("\n".join(steering)))
        self._names = stems("\n".join(utterance.speaker_name for utterance in shown)) - self._steering
        self._cited_as = cited_as or {}
        spoke = (utterance.speaker_name for utterance in shown if utterance.id not in self._cited_as)
        self._people = tuple(dict.fromkeys((*spoke, *people)))
        topics = frozenset(_heading(name) for name in headings if forms_stand(name, ""))
        self._headings = (_OFFERED | topics) - {""}
        self._shown: Mapping[int, Utterance] = {utterance.id: utterance for utterance in shown}
        self._sources = sources_of(shown, wake_words=wake_words)
        # A number in brackets that somebody said so is a word, though an utterance has it for its id.
        self._citable = self._shown.keys() - bracketed([utterance.text for utterance in shown])
        self._zone, self._language, self._on_claim = zone, language, on_claim
        self._mark = mark
        self._buffer, self._ended = "", False
        self._lead_in = ""
        self._evidence: dict[int, None] = {}
        self.heard = ""
        """How the model's text begins, as it was fed."""
        self._nothing_found = False
        self._line_open = False
        self.dropped: list[str] = []
        """Why pieces or sentences were held back, in order: a `checks.Fault`, `rules`, `quote` …"""

    @property
    def evidence(self) -> tuple[int, ...]:
        """The utterances cited so far, in order of first citation."""
        return tuple(self._evidence)

    @property
    def foreign(self) -> tuple[str, ...]:
        """The citations of passages from outside this meeting, as the answer names them."""
        return tuple(self._cited_as[id_].strip("*") for id_ in self._evidence if id_ in self._cited_as)

    @property
    def nothing_found(self) -> bool:
        """Whether the model wrote `NOTHING_FOUND`, and nothing with a citation was let out."""
        return self._nothing_found and not self._evidence

    def feed(self, piece: str) -> str:
        """Take in the next piece of the model's text; give the text that may be shown now, often ""."""
        self.heard += piece[: _HEARD_CHARACTERS - len(self.heard)]
        self._buffer = _BLANKS.sub("  ", self._buffer + piece)
        self._buffer = as_cited(self._buffer, self._citable, ended=False)
        return self._pieces()

    def finish(self) -> str:
        """Give the rest that may be shown, once the model has ended."""
        self._buffer, self._ended = as_cited(self._buffer, self._citable), True
        shown = self._pieces()
        rest, self._buffer = self._buffer, ""
        return shown + (self._judged(rest) if rest else "")

    def _pieces(self) -> str:
        """What may be shown of the pieces that are complete."""
        shown = ""
        while (end := self._end_of_piece()) is not None:
            shown += self._judged(self._buffer[:end])
            self._buffer = self._buffer[end:]
        return shown

    def _end_of_piece(self) -> int | None:
        """Where the first complete piece of the buffer ends; None while more may belong to it."""
        newline = self._buffer.find("\n")
        leading = _LEADING.match(self._buffer)
        group = _GROUP.search(self._buffer, leading.end() if leading else 0)
        if group is not None and (newline < 0 or group.end() <= newline):
            rest = self._buffer[group.end() :].lstrip(" \t")
            complete = rest and not may_cite(rest)
            return group.end() if complete or group.end() > _MAX_PIECE_CHARS else None
        if newline >= 0:
            return self._end_of_uncited(newline + 1) if leading is None else newline + 1
        return len(self._buffer) if len(self._buffer) > _MAX_PIECE_CHARS else None

    def _end_of_uncited(self, line_end: int) -> int | None:
        """Where a line without citations ends, or the next one that holds nothing else; None: as above."""
        line, behind = self._buffer[:line_end], self._buffer[line_end:]
        if not line.strip() or _heading(line) in self._headings:
            return line_end
        if not self._ended and "\n" not in behind and _MAY_CITE_ALONE.fullmatch(behind):
            return None
        alone = _CITES_ALONE.match(behind)
        return line_end + alone.end() if alone is not None else line_end

    def _judged(self, piece: str) -> str:
        """A piece as it may be shown; "" where it may not."""
        if NOTHING_FOUND in piece:
            self._nothing_found = True
            return ""
        piece = _as_line(piece)
        groups = [match.group() for match in _GROUP.finditer(piece)]
        if not groups:
            return self._uncited(piece)
        piece = without_edit_marks(_LEADING.sub(r"\1", piece))  # copied from the prompt, where it is no word
        body = balanced(_GROUP.sub(lambda match: match.group()[match.group().rfind("]") + 1 :], piece))
        ids = [id_ for group in groups for id_ in ids_of(group)]
        known = tuple(id_ for id_ in dict.fromkeys(ids) if id_ in self._shown)
        read, word = with_gap(body, self._language)
        body, wrong, lost = self._certain(read, known) if known else ("", "unknown_utterance", [])
        body = body.replace(GAP_MARK, word)
        self.dropped += lost if wrong is None else [wrong]
        if wrong is not None:
            return self._line_end() if piece.endswith("\n") else ""
        self._evidence.update(dict.fromkeys(known))
        lead_in, self._lead_in = self._lead_in, ""
        end = "\n" if body.endswith("\n") else ""
        was_open, self._line_open = self._line_open, not end
        glue = " " if was_open and not body[:1].isspace() else ""
        named = (
            self._cited_as.get(id_) or attribution(self._shown[id_], self._zone, self._language)
            for id_ in known
        )
        claim = _LIST_MARK.sub("", body).replace("**", "").strip()
        self._on_claim(Claim(text=claim, evidence=known))
        cited_claim = f"{inert_claim(body.rstrip())}{self._mark}"
        return f"{lead_in}{glue}{cited_claim} — {', '.join(named)}{end}"

    def _certain(self, body: str, ids: Sequence[int]) -> _Left:
        """A piece without the sentences that are wrong for certain; what they mean, a verifier judges."""
        if not self._rules.isdisjoint(_stretches(body)):
            return "", "rules", []  # asked of the whole: a stretch of them may run over several sentences
        certain, lost = "", list[str]()
        for sentence in sentences_of(body):
            claim = as_read(_CLOCK.sub(" ", _LIST_MARK.sub("", sentence)))
            wrong: str | None = None if forms_stand(claim, "") else "form"
            if any(map(str.isalnum, claim)):  # marks alone say nothing
                wrong = certain_fault(claim, ids, self._sources, self._people)
                wrong = wrong or self._unfit(sentence, claim, ids) or self._recites(claim, ids)
            if wrong is None:
                certain += sentence
            else:
                lost.append(wrong)
        if not any(map(str.isalnum, certain)):
            return "", lost[-1] if lost else "unreadable", []
        return certain.rstrip() + ("\n" if body.endswith("\n") else ""), None, lost

    def _recites(self, claim: str, ids: Sequence[int]) -> str | None:
        """`steered` where it gives the asker's own words back as somebody's who said nothing of the kind."""
        before = dict.fromkeys(id_ - back for id_ in ids for back in range(_LINES_BEFORE + 1))
        spoken = "\n".join(self._sources[id_] for id_ in before if id_ in self._sources)
        own = stems(claim) - self._names - _ENDINGS
        nobodys = own <= self._asked and own.isdisjoint(stems(spoken)) and same_script(claim, spoken)
        return "steered" if own and nobodys else None

    def _unfit(self, text: str, claim: str, ids: Sequence[int]) -> str | None:
        """Why it may not be let out: it recites the rules, obeys somebody, is unreadable; or None.

        It is read in the asker's language, or in the words of its evidence.
        """
        sources = [self._sources[id_] for id_ in ids]
        if not self._rules.isdisjoint(_stretches(text)):
            return "rules"
        words = "\n".join(self._shown[id_].text for id_ in ids)
        if self._obeys(claim, words) or tells_of_obeying(claim, words):
            return "steered"
        readable = any(map(str.isalnum, claim)) and comparable(claim, "\n".join(sources), self._language)
        return None if readable else "unreadable"

    def _obeys(self, claim: str, spoken: str) -> bool:
        """Whether the claim is what somebody wanted said, resting on somebody else's words."""
        if not self._steering:
            return False
        own = stems(claim) - self._names - _ENDINGS
        wanted = (own & self._steering) - stems(spoken)
        return 3 * len(wanted) >= len(own) > 0

    def _uncited(self, piece: str) -> str:
        text = piece.strip()
        if not any(map(str.isalnum, text)):  # a blank line, or marks that are left of what was read
            if self._lead_in and not text:
                self._lead_in += piece
                return ""
            return self._line_end() if "\n" in piece else ""
        if _heading(text) in self._headings:
            self._lead_in += inert_claim(piece)
        else:
            self.dropped.append("no_evidence")
        return ""

    def _line_end(self) -> str:
        """A line break, unless the shown text has one there already (or has not begun)."""
        if not self._line_open:
            return ""
        self._line_open = False
        return "\n"


def attribution(utterance: Utterance, zone: tzinfo | None = None, language: str = "") -> str:
    """Who said an utterance and when, as an answer shows it: `**김민지** (14:32:07)`; and who edited it.

    `zone`: for the time of day; None: as the utterance has it. `language`: of the mark of an edited one.
    """
    moment = utterance.absolute_timestamp
    if zone is not None:
        moment = local(moment, zone)
    name = inert_name(utterance.speaker_name) or inert_name(utterance.speaker_id)
    return f"**{name}** ({moment:%H:%M:%S}){edit_mark(utterance.corrected_by, language)}"


def _as_line(piece: str) -> str:
    """A piece without the tags around an answer and the number before an item, its citations in its line."""
    piece = without_numbering(_WRAPPING.sub("", piece))
    line, _, behind = piece.partition("\n")
    if line.strip() and _CITES_ALONE.fullmatch(behind) is not None:
        return f"{line.rstrip()} {''.join(re.findall(CITATION, behind))}"
    return piece


def _heading(line: str) -> str:
    """A heading's letters: without its marks, and the number before it."""
    return _bare(_LIST_NUMBER.sub("", as_read(line)))


def _stretches(text: str) -> frozenset[str]:
    """Every run of so many letters: what shares one with the rules recites them."""
    letters = _bare(text)
    return frozenset(letters[at : at + _RECITED_LETTERS] for at in range(len(letters) - _RECITED_LETTERS + 1))


def _bare(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


_OFFERED: Final = frozenset(
    _heading(line)
    for language, words in HEADINGS.items()
    for line in (*words, *(part for part in RESPONSE_TEMPLATE[language].splitlines() if part[:1] == "#"))
)
