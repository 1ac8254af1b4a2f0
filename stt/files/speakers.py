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
from typing import Final, NamedTuple

from context.language.korean import has_hangul
from context.language.labels import SPEAKER_DASH, Form, Label, form, labels_of
from context.primitives.person_names import canonical
from context.primitives.text import one_line
from stt.files.rows import Notes, Row

UNKNOWN_SPEAKER: Final = "speaker"
"""The id of who speaks where a file does not say it for sure."""
UNKNOWN_NAMES: Final[Mapping[str, str]] = {"ko": "화자 미상", "en": "Unknown speaker"}
"""What this speaker is called, by the language of the words."""
_UNKNOWN_LABELS: Final = frozenset(map(canonical, UNKNOWN_NAMES.values()))
_MIN_HEADING_USES: Final = 4
"""Uses of what may be a heading."""
_MAX_FEW_LINES: Final = 3
"""Lines of a file in which each speaks once."""
_HALF_COVERED_SHARE: Final = 0.5
_MOSTLY_COVERED_SHARE: Final = 0.8


def with_speakers(rows: Iterable[Row], notes: Notes) -> list[Row]:
    """Find who speaks in the rows whose format does not tell it; lines of one cue may have several speakers.

    The ids are the labels as they stand first. `notes` gets where the unknown speaker had to be taken, and
    where a name is taken for one though it stands once.
    """
    all_rows = list(rows)
    trusted = _trusted([_Cue(row) for row in all_rows if _is_open(row)])
    korean = 2 * sum(has_hangul(row.text) for row in all_rows) >= len(all_rows)
    unknown = UNKNOWN_NAMES["ko" if korean else "en"]
    first: dict[str, str] = {}
    rows_found: list[Row] = []
    once: list[int] = []
    for row in all_rows:
        if not _is_open(row):
            rows_found.append(row if row.speaker else row._replace(speaker=UNKNOWN_SPEAKER, name=unknown))
            continue
        for part, label in _Cue(row).parted(trusted):
            if label is None:
                rows_found.append(part._replace(speaker=UNKNOWN_SPEAKER, name=unknown))
                continue
            once += [row.number] * (trusted.uses[label.key] == 1 and label.form < Form.WHOLE)
            rows_found.append(part._replace(speaker=first.setdefault(label.key, label.name)))
    rows_found = [_unless_unknown(row) for row in rows_found]
    if once:
        notes.tell("a name that stands once in the file is taken for a name", once, more="and {} more")
    _tell_unknown(rows_found, notes, judged=bool(trusted.uses))
    return rows_found


def _is_open(row: Row) -> bool:
    return row.speaker is None and not row.judged


def _unless_unknown(row: Row) -> Row:
    """A row whose file calls its speaker unknown is the unknown speaker's."""
    name = row.name or row.speaker or ""
    return row._replace(speaker=UNKNOWN_SPEAKER, name=name) if canonical(name) in _UNKNOWN_LABELS else row


def _tell_unknown(rows: Sequence[Row], notes: Notes, *, judged: bool) -> None:
    spoken = [row for row in rows if one_line(row.text)]
    unknown = [row.number for row in spoken if canonical(row.name) in _UNKNOWN_LABELS]
    if unknown and len(unknown) < len(spoken):
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
        self._dashed = SPEAKER_DASH.match(row.text) is not None
        self.said = bool(one_line(row.text))

    @property
    def labels(self) -> list[list[Label]]:
        """The possible labels of each line, the shortest first."""
        return [labels for _, labels in self._lines]

    def parted(self, trusted: _Trusted) -> Iterator[tuple[Row, Label | None]]:
        """The row once for each speaker in it, with the label; None where that is not sure."""
        by: Label | None = None
        words: list[str] = []
        for place, (line, labels) in enumerate(self._lines):
            label = trusted.chosen(labels, inner=place > 0)
            other = self._dashed and SPEAKER_DASH.match(line) is not None
            if place and (label or other or trusted.may_be_other(labels)):
                yield self.row._replace(text="\n".join(words)), by
                by, words = None, []
            by = label or by
            words.append(label.rest if label else SPEAKER_DASH.sub("", line, 1) if other else line)
        yield self.row._replace(text="\n".join(words)), by


class _Trusted(NamedTuple):
    """Which labels name somebody in this file, by their key."""

    names: AbstractSet[str]
    uses: Mapping[str, int]
    long: AbstractSet[str]
    """Those with a colon within, which are always said whole."""

    def chosen(self, labels: Sequence[Label], *, inner: bool) -> Label | None:
        """The label of a line that is trusted; within a cue it must stand elsewhere, too."""
        label = _longest(labels, self.long)
        if label is None or label.key not in self.names:
            return None
        return label if not inner or self.uses[label.key] > 1 else None

    def may_be_other(self, labels: Sequence[Label]) -> bool:
        """Whether a line within a cue may be said by another one."""
        return bool(self.names) and bool(labels) and labels[0].form >= Form.NAME


def _longest(labels: Sequence[Label], long: AbstractSet[str]) -> Label | None:
    whole = [label for label in labels if label.key in long]
    return whole[-1] if whole else next(iter(labels), None)


def _trusted(cues: Sequence[_Cue]) -> _Trusted:
    """Judge the labels of a file: by their form, how often each stands there, and how many lines have one."""
    cues = [cue for cue in cues if cue.said]
    everywhere = [labels for cue in cues for labels in cue.labels]
    long = _long_labels(everywhere)
    labels = [
        label for labels_of_line in everywhere if (label := _longest(labels_of_line, long)) and label.form
    ]
    uses = Counter(label.key for label in labels)
    forms = {label.key: label.form for label in labels}
    heads = [label.key for cue in cues if (label := _longest(cue.labels[0], long)) and label.form]
    return _Trusted(_names(_Labels(heads, forms, uses, len(cues))), uses, long)


class _Labels(NamedTuple):
    """The labels of a file, by their key."""

    heads: Sequence[str]
    """Those at the beginning of a line or cue, in their order."""
    forms: Mapping[str, Form]
    uses: Mapping[str, int]
    lines: int
    """How many lines or cues the file has."""

    def of(self, shape: Form, *, uses: int) -> set[str]:
        """The labels of one form that stand so often."""
        return {key for key, form in self.forms.items() if form is shape and self.uses[key] >= uses}

    @property
    def names(self) -> set[str]:
        """The labels that look like names."""
        return {key for key, shape in self.forms.items() if shape >= Form.NAME}

    @property
    def covered(self) -> float:
        """The share of the lines that begins with a name or with what comes again."""
        counted = sum(self.forms[key] >= Form.NAME or self.uses[key] > 1 for key in self.heads)
        return counted / max(1, self.lines)


def _names(labels: _Labels) -> AbstractSet[str]:
    """Which labels name somebody.

    Labels that come again and take turns are names, however few lines have one. Where most lines have one,
    they are names if one comes again, if most of them look like whole names, or if the file is very short.
    What may be a heading as well has to come again: beside names many times.
    """
    names, covered = labels.names, labels.covered
    again = {key for key in names if labels.uses[key] > 1}
    doubtful = labels.of(Form.DOUBTFUL, uses=2) if covered >= _MOSTLY_COVERED_SHARE else set()
    if not names:
        return _without_names(labels, doubtful)
    if covered >= _HALF_COVERED_SHARE and (again or doubtful):
        return names | doubtful | labels.of(Form.HEADING, uses=_MIN_HEADING_USES)
    if len(again) > 1 and _take_turns([key for key in labels.heads if key in again]):
        return again
    whole = sum(labels.forms[key] >= Form.WHOLE for key in names)
    few = labels.lines <= _MAX_FEW_LINES or 3 * whole >= 2 * len(names)
    return names if covered > _HALF_COVERED_SHARE and few else frozenset()


def _without_names(labels: _Labels, doubtful: AbstractSet[str]) -> AbstractSet[str]:
    """Which labels name somebody in a file where none looks like a name: A: and B:, Q: and A:."""
    common = {key for key in labels.heads if labels.uses[key] > 1}
    if labels.covered >= _HALF_COVERED_SHARE and sum(labels.uses[key] for key in common) >= _MIN_HEADING_USES:
        return common
    turns = [key for key in labels.heads if key in doubtful]
    return doubtful if _take_turns(turns) else frozenset()


def _take_turns(keys: Sequence[str]) -> bool:
    """Whether one of them comes again after another one has come."""
    earlier: set[str] = set()
    before = ""
    for key in keys:
        if key != before and key in earlier:
            return True
        earlier.add(key)
        before = key
    return False


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
        if all(label and often[label] > 1 for label in longs)
        for long in longs
    )


def _with_heads(text: str) -> list[str]:
    """The lines of a cue; a label alone on its line stands before the next one."""
    lines: list[str] = []
    head = ""
    for line in filter(str.strip, text.split("\n")):
        alone = line.strip().endswith((":", "："))
        if alone and not head and form(line.strip()[:-1]):
            head = line.rstrip()
            continue
        lines.append(f"{head} {line}" if head else line)
        head = ""
    return [*lines, head] if head or not lines else lines
