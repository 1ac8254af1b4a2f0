"""Checks whether a statement follows from the utterances that it cites, without a model; errs towards "yes".

It can't tell truth; it catches what language models get wrong in practice: citations of nothing,
numbers that nobody said, a "not" added or lost, and sentences about something else altogether.

*Sources* are texts that may be cited, by utterance id, each as `name: text` (`sources_of`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Literal

from context.evidence.figures import (
    dates_stand,
    days_heard,
    figures_heard,
    figures_said,
    figures_shared,
    figures_stand,
)
from context.evidence.polarity import is_vouched, only_asks, polarity_stands, reports
from context.evidence.riders import is_about, labelled, own_words, pairs_stand, sentences_of, without_riders
from context.evidence.speakers import persons_stand, speakers_stand
from context.evidence.units import units_heard
from context.evidence.words import (
    FRAME,
    called_by,
    forms_stand,
    is_called,
    is_named,
    letters,
    names_stand,
    quotes_stand,
    same_script,
    stems,
)
from context.language.instructions import steers
from context.language.korean import has_hangul
from context.language.questions import BREAK
from context.models import Statement, Summary, Utterance
from context.prompts.answering import HEADINGS
from context.text import LONGEST_NAME

Fault = Literal[
    "no_evidence",
    "unknown_utterance",
    "number",
    "date",
    "name",
    "speaker",
    "form",
    "quote",
    "rider",
    "question",
    "negation",
    "crossed",
    "unrelated",
]
"""What is wrong with a statement; `rider`: a part of it that nobody said; `crossed`: parts of two utterances
brought together; `form`: a mention, link or call that was not said; `quote`: quotation marks around what was
not said; `question`: a question told as a fact.
"""

_FILLER: Final = re.compile(r"\b(?:uh|um|uhm|er|erm)\b,?\s*", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")
_NOTHING: Final = Summary()
_AROUND: Final = 8
"""Utterances before and behind a cited one that its figures and names may come from."""
_RUN: Final = 4
_NEARLY: Final = 0.85
_SHORT: Final = 12
"""Words, or halves of them, of an utterance that leaves its subject to those before it."""
_FEW: Final = 3
"""Halves of Korean words: 받지 않기로 has three."""
_LONGEST: Final = 8000
"""Characters of one utterance that a statement is held against."""
LABELS: Final = stems("\n".join(word for words in HEADINGS.values() for word in words))
"""Stems of the headings that a prompt offers for an answer's lines."""
_LEAST_SHARE: Final = 0.2
"""Least share of a statement's words that its evidence must carry: summaries do paraphrase."""
_MOSTLY: Final = 0.5
"""The same share where a statement has its words only from what was said before its evidence."""
_BEFORE: Final = 5
"""Utterances before a cited one whose words it goes on from: 그럼 두 대 빌립시다 leaves its subject there."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary without the statements that failed the check, and why those failed."""

    summary: Summary
    dropped: tuple[tuple[str, Fault], ...]
    """The text that was dropped (a statement, an owner, a due moment), and its fault."""


def fault(
    text: str, evidence: Sequence[int], sources: Mapping[int, str], names: Sequence[str] = ()
) -> Fault | None:
    """The fault of `text` as a claim that rests on the ids in `evidence`; None where it stands.

    `sources`: what may be cited, by id. `names`: of the participants, none of whom a claim may bring in
    where the evidence does not.
    """
    if not evidence or not sources.keys() >= set(evidence):
        return "unknown_utterance" if evidence else "no_evidence"
    text = _compatible(text)
    cited = [_compatible(sources[id_]) for id_ in evidence]
    spoken = "\n".join(cited)
    if (unsaid := _unsaid(text, spoken)) is not None:
        return unsaid
    names_said, said = speakers_and_texts(cited)
    if is_quote(text, spoken) and not is_quote(text, names_said):
        return None
    before = said_before(evidence, sources)
    if (literal := _literal_fault(text, cited, before, names)) is not None:
        return literal
    claim, named = stems(text), stems(names_said)
    if claim and (claim <= named or (is_quote(text, names_said) and not is_quote(text, said))):
        return "unrelated"  # who spoke, and nothing of what they said
    if is_near_quote(text, said):
        return None if polarity_stands(text, cited) else "negation"
    if not claim or not same_script(text, spoken):
        # Another language than the speech: words can't be compared; numbers, dates and names were.
        return None
    if (misread := _fault_of_meaning(text, cited, said, named, before=before, names=names)) is not None:
        return misread
    own = _own_parts(text, f"{said}\n{before}", (*names, *filter(None, names_said.split("\n"))))
    if own is None:
        return "rider"
    # Whether it says yes or no shows in the whole: "There is one in Leeds. It needs what they do not have."
    wrong = {fault(part, evidence, sources, names) for part in own} - {None, "negation"}
    return min(wrong, default=None, key=str)


def certain_fault(
    text: str,
    evidence: Sequence[int],
    sources: Mapping[int, str],
    names: Sequence[str] = (),
    *,
    may_ask: bool = False,
) -> Fault | None:
    """The fault that `text` has for certain, whatever it means; None leaves it to a verifier. As `fault`.

    Certain is: it cites what is not there, holds a mention, link or quotation that was not said, asks, or
    names a figure or a day that was heard nowhere near what it cites (or only with another unit), or a person
    that nobody named. `may_ask`: it is an open point, which a question tells best.
    """
    if not evidence or not sources.keys() >= set(evidence):
        return "unknown_utterance" if evidence else "no_evidence"
    text = _compatible(text)
    cited = "\n".join(_compatible(sources[id_]) for id_ in evidence)
    if (unsaid := _unsaid(text, cited)) is not None:
        return unsaid
    if is_near_quote(text, cited):
        return None
    if not may_ask and text.rstrip(" \"'”’)").endswith("?"):
        return "question"  # it states nothing, unless somebody is quoted who asked it
    near = dict.fromkeys(id_ + step for id_ in evidence for step in range(-_AROUND, _AROUND + 1))
    # What somebody wants of the agent bears out nobody else's words.
    heard = (id_ for id_ in near if id_ in sources and (id_ in evidence or not steers(sources[id_])))
    around = "\n".join(_compatible(sources[id_]) for id_ in heard)
    if not figures_heard(text, around, len(evidence)) or not units_heard(text, around):
        return "number"
    if not days_heard(text, around):
        return "date"
    everywhere = "\n".join(sources.values())
    return None if names_stand(text, everywhere, names) else "name"


def _unsaid(text: str, spoken: str) -> Literal["form", "quote"] | None:
    """The fault of a text with a mention, link, call or quotation that was not said; else None."""
    if not forms_stand(text, spoken):
        return "form"
    return None if quotes_stand(text, spoken) else "quote"


def is_near_quote(text: str, spoken: str) -> bool:
    """Whether most runs of four letters of `text`, and all of its numbers, stand in `spoken`."""
    said, told = letters(spoken), letters(text)
    runs = [told[at : at + _RUN] for at in range(len(told) - _RUN + 1)]
    if not runs or not set(_DIGITS.findall(text)) <= set(_DIGITS.findall(spoken)):
        return False
    return sum(run in said for run in runs) >= _NEARLY * len(runs)


def _compatible(text: str) -> str:
    """`text` with wide and joined letters as the usual ones (NFKC)."""
    return unicodedata.normalize("NFKC", text)


def _own_parts(text: str, heard: str, people: Sequence[str]) -> list[str] | None:
    """The sentences of a claim of several that say something by themselves; [] for a claim of one sentence.

    None where the claim has a part of which nothing was `heard`.
    """
    rest = labelled(text).rest
    if without_riders(rest, heard, people) != rest:
        return None
    parts = sentences_of(rest)
    own = [part.strip() for part in parts if own_words(part)] if len(parts) > 1 else []
    return own if all(is_about(part, heard, people) for part in own) else None


def _literal_fault(text: str, cited: Sequence[str], before: str, names: Sequence[str]) -> Fault | None:
    """The fault where a figure, a day, a name or a speaker of `text` is not what was said; else None."""
    spoken = "\n".join(cited)
    # The names of those who only asked count for nothing: whoever asks who does it does not do it.
    told = ((source, speakers_and_texts([source])[1]) for source in cited)
    answering = "\n".join(said if only_asks(said) else source for source, said in told)
    if not figures_stand(text, spoken, before, len(cited)):
        return "number"
    if not dates_stand(text, spoken, before):
        return "date"
    if not names_stand(text, spoken if reports(text) else answering, names, before):
        return "name"
    if not persons_stand(text, f"{spoken}\n{before}"):
        return "name"
    return None if speakers_stand(text, cited, names) else "speaker"


def _fault_of_meaning(
    text: str,
    cited: Sequence[str],
    said: str,
    named: frozenset[str],
    *,
    before: str,
    names: Sequence[str],
) -> Literal["unrelated", "question", "negation", "crossed"] | None:
    """The fault where `text` tells something else than what was said, in words that were; else None."""
    if not _related(text, said, named, before):
        return "unrelated"
    if not is_vouched(text, said.split("\n")):
        return "question"  # told as a fact
    if not polarity_stands(text, cited):
        return "negation"
    return None if pairs_stand(text, cited, tuple(names)) else "crossed"


def label_fault(
    label: str,
    evidence: Sequence[int],
    sources: Mapping[int, str],
    names: Sequence[str],
    vocabulary: AbstractSet[str],
) -> Fault | None:
    """The fault of a label, the words before a claim's colon: a speaker's name, or what the claim is about.

    None where it stands. `vocabulary`: stems of the talk's words, and of those that a prompt offers.
    """
    people = [name for name in names if is_called(name, label)]
    said = speakers_and_texts([sources[id_] for id_ in evidence])[0]
    if any(not is_named(name, said) for name in people):
        return "speaker"
    own = stems(label) - stems(" ".join(part for name in people for part in called_by(name)))
    if not own and not people and any(map(str.isalpha, label)):  # 칼: too short to be a word
        return None if label.strip() in "\n".join(sources[id_] for id_ in evidence) else "rider"
    return None if not own or 2 * len(own & vocabulary) > len(own) else "rider"


def _related(text: str, said: str, named: frozenset[str], before: str) -> bool:
    """Whether the claim is about what was said, or what it went on from, and not about a name alone."""
    claim = stems(text) - FRAME
    if not claim or (len(claim) <= _FEW and all(map(has_hangul, claim)) and not claim <= named):
        return True  # 아직 결정되지 않았습니다, 받지 않기로 했습니다: it answers yes or no, and no more
    figures = figures_shared(text, said)
    spoken = stems(said)
    own = claim - named
    if figures_said(text, said) or own & spoken:
        return len(claim & (spoken | stems(before) | named)) + figures >= max(1.0, _LEAST_SHARE * len(claim))
    # "Kim resigned" does not follow from anything that Kim said; "yes, that" is said of what was before.
    return len(spoken) <= _SHORT and len(own & stems(before)) > _MOSTLY * len(own)


def said_before(evidence: Sequence[int], sources: Mapping[int, str]) -> str:
    """The texts of the five utterances before each cited one: what that one may go on from."""
    ids = dict.fromkeys(id_ - back for id_ in evidence for back in range(1, _BEFORE + 1))
    return speakers_and_texts([sources[id_] for id_ in ids if id_ in sources and id_ not in evidence])[1]


def speakers_and_texts(cited: Sequence[str]) -> tuple[str, str]:
    """The speakers of some sources, and what they said: each a text with one line per source or more.

    A source that does not begin with a name has an empty line among the speakers.
    """
    names, said = [], []
    for source in cited:
        name, colon, text = source.partition(": ")
        named = bool(colon) and len(name) <= LONGEST_NAME
        names.append(name if named else "")
        said.append(text if named else source)
    return "\n".join(names), "\n".join(said)


def is_quote(text: str, spoken: str) -> bool:
    """Whether each sentence of `text` stands in `spoken`, letter for letter; blanks and marks are ignored."""
    said = letters(spoken)
    parts = [letters(part) for part in BREAK.split(text)]
    return any(parts) and all(part in said for part in parts)


def sources_of(utterances: Iterable[Utterance], previous: Summary = _NOTHING) -> dict[int, str]:
    """The sources of a summary, by id: the utterances, and for older ones what `previous` says of them."""
    carried: dict[int, list[str]] = {}
    for statement in statements_of(previous):
        for id_ in statement.evidence:
            carried.setdefault(id_, []).append(statement.text)
    sources = {id_: "\n".join(dict.fromkeys(texts)) for id_, texts in carried.items()}
    for said in utterances:
        name = said.speaker_name.replace(":", " ")  # it ends at the colon behind it
        sources[said.id] = f"{name}: {said.text[:_LONGEST]}"
    return sources


def checked(
    summary: Summary,
    sources: Mapping[int, str],
    names: Sequence[str] = (),
    *,
    settled: Iterable[Statement] = (),
    judged_later: bool = False,
) -> Checked:
    """The summary without the statements that have a fault, or an owner or due moment that nobody named.

    `settled`: statements, the very objects, that were judged already and stay. `judged_later`: a verifier
    judges what the others mean, so that only what is certainly wrong is dropped.
    """
    dropped: list[tuple[str, Fault]] = []
    known = {id(statement) for statement in settled}
    vocabulary = stems("\n".join(sources.values())) | LABELS

    def fault_of(text: str, evidence: Sequence[int], *, may_ask: bool) -> Fault | None:
        if judged_later:
            return certain_fault(text, evidence, sources, names, may_ask=may_ask)
        wrong = fault(text, evidence, sources, names)
        label = labelled(text).words if wrong is None else ""
        return label_fault(label, evidence, sources, names, vocabulary) if label else wrong

    def standing(statements: Sequence[Statement]) -> tuple[Statement, ...]:
        kept = []
        for statement in statements:
            if id(statement) in known:
                kept.append(statement)
            elif (
                wrong := fault_of(statement.text, statement.evidence, may_ask=statement.kind == "open")
            ) is None:
                kept.append(_without_unnamed(statement, sources, dropped))
            else:
                dropped.append((statement.text, wrong))
        return tuple(kept)

    sentences = standing(summary.sentences)
    content = summary.model_copy(
        update={
            "text": " ".join(sentence.text for sentence in sentences),
            "sentences": sentences,
            "key_points": standing(summary.key_points),
            "decisions": standing(summary.decisions),
            "pending": standing(summary.pending),
        }
    )
    return Checked(content, tuple(dropped))


def _without_unnamed(
    statement: Statement, sources: Mapping[int, str], dropped: list[tuple[str, Fault]]
) -> Statement:
    """The statement without an owner or a due moment that its evidence doesn't bear out."""
    spoken = "\n".join(sources[id_] for id_ in statement.evidence)
    taken_off: dict[str, None] = {}
    if statement.owner and not _owner_stands(statement.owner, _FILLER.sub("", spoken)):
        dropped.append((statement.owner, "name"))
        taken_off["owner"] = None
    if statement.due and not _due_stands(statement.due, spoken):
        dropped.append((statement.due, "date"))
        taken_off["due"] = None
    return statement.model_copy(update=taken_off)


def _owner_stands(owner: str, spoken: str) -> bool:
    """Whether the evidence names the owner (also by their office, 간사님), or is theirs.

    A name in other letters, as 준호 and Junho are, can't be compared.
    """
    called = any(f"{part}님" in spoken for part in owner.split())
    return is_named(owner, spoken) or called or not same_script(owner, spoken)


def _due_stands(due: str, spoken: str) -> bool:
    """Whether the evidence names the moment: its numbers, days, and some word of it."""
    if not figures_stand(due, spoken) or not dates_stand(due, spoken):
        return False
    words = stems(due)
    return not words or not same_script(due, spoken) or bool(words & stems(spoken))


def statements_of(summary: Summary) -> tuple[Statement, ...]:
    """All statements of a summary: its sentences, key points, decisions and pending items."""
    return (*summary.sentences, *summary.key_points, *summary.decisions, *summary.pending)
