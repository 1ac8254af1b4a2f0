"""Who speaks, by the labels in front of the words (`Hana: …`): judged over a whole file, and never guessed.

A colon alone makes nobody a speaker: "The plan: we ship" names a plan. A label has a `Form` by itself, and
the file says the rest: people speak more than once, and where some are named, most are. A label that is not
sure stays among the words, and those are said by the unknown speaker. Nothing is given to the speaker
before: who falls silent is not told from who goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final, NamedTuple

from context.language.korean import has_hangul
from context.language.labels import DASHED, Form, Label, form, labels_of
from context.names import canonical
from context.text import one_line
from stt.files.rows import Notes, Row

UNKNOWN_SPEAKER: Final = "speaker"
"""The id of who speaks where a file does not say it for sure."""
UNKNOWN_NAMES: Final[Mapping[str, str]] = {"ko": "화자 미상", "en": "Unknown speaker"}
"""What this speaker is called, by the language of the words."""
_UNKNOWN: Final = frozenset(map(canonical, UNKNOWN_NAMES.values()))
_LEAST_DOUBTFUL_USES: Final = 4
_HALF: Final = 0.5


def with_speakers(rows: Iterable[Row], notes: Notes) -> list[Row]:
    """Find who speaks in the rows whose format does not tell it; lines of one cue may have several speakers.

    The ids are the labels as they stand first. `notes` gets where the unknown speaker had to be taken.
    """
    all_rows = list(rows)
    trusted = _trusted([_Cue(row) for row in all_rows if row.speaker is None])
    korean = 2 * sum(has_hangul(row.text) for row in all_rows) >= len(all_rows)
    unknown = UNKNOWN_NAMES["ko" if korean else "en"]
    first: dict[str, str] = {}
    found: list[Row] = []
    for row in all_rows:
        if row.speaker is not None:
            found.append(_unless_unknown(row))
            continue
        for part in _Cue(row).parted(trusted):
            label = part.speaker
            if label is None:
                found.append(part._replace(speaker=UNKNOWN_SPEAKER, name=unknown))
            else:
                named = part._replace(speaker=first.setdefault(label.casefold(), label))
                found.append(_unless_unknown(named))
    _tell_unknown(found, notes, judged=bool(trusted.uses))
    return found


def _unless_unknown(row: Row) -> Row:
    """A row whose file calls its speaker unknown is the unknown speaker's."""
    name = row.name or row.speaker or ""
    return row._replace(speaker=UNKNOWN_SPEAKER, name=name) if canonical(name) in _UNKNOWN else row


def _tell_unknown(rows: Sequence[Row], notes: Notes, *, judged: bool) -> None:
    said = [row for row in rows if one_line(row.text)]
    unknown = [row.number for row in said if row.speaker == UNKNOWN_SPEAKER]
    if unknown and len(unknown) < len(said):
        text = "it is not sure who says this: taken as said by an unknown speaker"
        notes.tell(text, unknown, more="so in {} more places")
    elif unknown:
        why = "it is not sure which words in front of a colon are names" if judged else "nobody is named"
        notes.tell(f"{why}: all is taken as said by one unknown speaker")


class _Cue:
    """A row with the possible labels of its lines."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self._lines = [(line, list(labels_of(line))) for line in _with_heads(row.text)]
        self._dashed = DASHED.match(row.text) is not None

    @property
    def labels(self) -> list[list[Label]]:
        """The possible labels of each line, the shortest first."""
        return [labels for _, labels in self._lines]

    def parted(self, trusted: _Trusted) -> Iterator[Row]:
        """The row once for each speaker in it, `speaker` None where that is not sure."""
        name: str | None = None
        words: list[str] = []
        for place, (line, labels) in enumerate(self._lines):
            label = trusted.chosen(labels, inner=place > 0)
            other = self._dashed and DASHED.match(line) is not None
            if place and (label or other or trusted.may_be_other(labels)):
                yield self.row._replace(speaker=name, text="\n".join(words))
                name, words = None, []
            name = label.name if label else name
            words.append(label.rest if label else DASHED.sub("", line, 1) if other else line)
        yield self.row._replace(speaker=name, text="\n".join(words))


class _Trusted(NamedTuple):
    """Which labels name somebody in this file, by their key."""

    names: frozenset[str]
    uses: Mapping[str, int]
    long: frozenset[str]
    """Those with a colon within, which are always said whole."""

    def chosen(self, labels: Sequence[Label], *, inner: bool) -> Label | None:
        """The label of a line that is trusted; within a cue it must stand elsewhere, too."""
        label = _longest(labels, self.long)
        if label is None or label.key not in self.names:
            return None
        return label if not inner or self.uses[label.key] > 1 or label.form is Form.CERTAIN else None

    def may_be_other(self, labels: Sequence[Label]) -> bool:
        """Whether a line within a cue may be said by another one."""
        return bool(self.names) and bool(labels) and labels[0].form >= Form.NAME


def _longest(labels: Sequence[Label], long: frozenset[str]) -> Label | None:
    whole = [label for label in labels if label.key in long]
    return whole[-1] if whole else next(iter(labels), None)


def _trusted(cues: Sequence[_Cue]) -> _Trusted:
    """Judge the labels of a file: by their form, how often each stands there, and how many lines have one."""
    everywhere = [labels for cue in cues for labels in cue.labels]
    long = _long_labels(everywhere)
    labels = [label for each in everywhere if (label := _longest(each, long)) and label.form]
    uses = Counter(label.key for label in labels)
    forms = {label.key: label.form for label in labels}
    certain = {key for key, shape in forms.items() if shape is Form.CERTAIN}
    named = any(shape >= Form.NAME for shape in forms.values())
    often = _LEAST_DOUBTFUL_USES if named else 2  # beside names a heading is nobody
    likely = {key for key, shape in forms.items() if shape >= Form.NAME or uses[key] >= often}
    covered = sum(label is not None and label.key in likely for label in map(partial(_head, long), cues))
    if not _is_labelled(likely, forms, uses, covered / max(1, len(cues))):
        likely = certain
    return _Trusted(frozenset(likely), uses, long)


def _is_labelled(
    likely: AbstractSet[str], forms: Mapping[str, Form], uses: Mapping[str, int], covered: float
) -> bool:
    """Whether a file names its speakers, where its `likely` labels stand before such a share of its lines.

    Half are enough where somebody speaks twice or bears a number; else it has to be more. Labels that may all
    be headings have to come again and again.
    """
    names = {key for key in likely if forms[key] >= Form.NAME}
    if not names:
        return covered >= _HALF and sum(uses[key] for key in likely) >= _LEAST_DOUBTFUL_USES
    surely = any(uses[key] > 1 or forms[key] is Form.CERTAIN for key in names)
    return covered >= _HALF if surely else covered > _HALF


def _head(long: frozenset[str], cue: _Cue) -> Label | None:
    return _longest(cue.labels[0], long)


def _long_labels(everywhere: Iterable[Sequence[Label]]) -> frozenset[str]:
    """The labels with a colon within: what stands behind their first part is always one that comes again."""
    followed: dict[str, list[str]] = {}
    for labels in everywhere:
        if labels:
            within = len(labels) > 1 and form(labels[1].name[len(labels[0].name) + 1 :].strip()) >= Form.NAME
            followed.setdefault(labels[0].key, []).append(labels[1].key if within else "")
    often = Counter(long for longs in followed.values() for long in longs)
    return frozenset(
        long
        for longs in followed.values()
        if all(each and often[each] > 1 for each in longs)
        for long in longs
    )


def _with_heads(text: str) -> list[str]:
    """The lines of a cue; a label alone on its line stands before the next one."""
    lines: list[str] = []
    head = ""
    for line in text.split("\n"):
        alone = line.strip().endswith((":", "："))
        if alone and not head and form(line.strip()[:-1]):
            head = line.rstrip()
            continue
        lines.append(f"{head} {line}" if head else line)
        head = ""
    return [*lines, head] if head or not lines else lines
