"""The status of what a clause names: denied, stopped, past, only asked, or simply so.

English goes by the scopes of ConText (`scopes`), Korean by what stands behind the thing
(`medical_scope.toml`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists, spaced, word_sets
from context.language.korean import has_hangul
from context.packs.medical.clauses import Clause
from context.packs.medical.details import is_severity
from context.packs.medical.persons import is_owned
from context.packs.medical.scopes import Scopes

_LISTS: Final = closed_lists("medical_scope")
_SETS: Final = word_sets("medical_scope")
_EDGE_CHARACTERS: Final = ".,:;!?()[]\"'“”‘’…~-/*"
_TAKEN_UNITS: Final = ("mg", "mcg", "ml", "g")


class Standing:
    """Gives the status of each thing that a text names. Things are named by where they start and end."""

    def __init__(self, text: str, parts: Sequence[Clause], named: Sequence[tuple[int, int]]) -> None:
        """`parts`: the text's clauses; `named`: start and end of each thing that it names."""
        self.text, self._parts = text, parts
        self._named = named
        self._scopes = [Scopes(part.text) for part in parts]

    def part(self, start: int) -> int:
        """The index of the clause that a place of the text is in."""
        return next((i for i, part in enumerate(self._parts) if part.start <= start < part.end), 0)

    def of(self, start: int, end: int, kind: str) -> str:
        """The status of a thing: `denied stopped past asked`, or "" where it is simply so.

        `kind`: of the entity. A medicine that nobody is said to take is only asked about.
        """
        place = self.part(start)
        part = self._parts[place]
        if part.asked:
            return "" if self.owned(start) else "asked"
        said = self._scopes[place].statuses(start - part.start, end - part.start)
        if not said:
            said = self._said_of_it(place)
        if has_hangul(part.text):
            said = said or _korean(part.text[: start - part.start], self.behind(start, end), kind)
        status = _one_status(said, kind)
        if status == "asked" and self.owned(start):
            return ""  # your fatigue may come from many things
        spoken_of = kind == "medications" and not status and not self._is_taken(start, end)
        return "asked" if spoken_of else status

    def _is_taken(self, start: int, end: int) -> bool:
        """Whether somebody takes a medicine. Not: 아스피린은 위에 나빠요; aspirin is bad for the stomach."""
        part = self._parts[self.part(start)]
        told = part.text[: start - part.start] + self.behind(start, end)
        said = {token.text for token in self._scopes[self.part(start)].tokens}
        return (
            any(verb in told for verb in (*_LISTS["taken_ko"], *_LISTS["not_denied"]))
            or not _SETS["taken_en"].isdisjoint(said)
            or any(word.endswith(_TAKEN_UNITS) and word[0].isdigit() for word in said)
            or self.owned(start)
        )

    def owned(self, start: int) -> bool:
        """Whether a thing is said to be the speaker's own; what stands before another thing is that one's."""
        part = self._parts[self.part(start)]
        since = max((end for _, end in self._named if end <= start), default=0)
        return is_owned(self.text[max(part.start, since) : start])

    def behind(self, start: int, end: int) -> str:
        """What stands behind a thing in its clause, and the next clause where that goes on about it."""
        place = self.part(start)
        behind = self.text[end : self._parts[place].end]
        after = self._goes_on(place)
        if after is None or not has_hangul(after.text) or _has_a_noun(after.text):
            return behind
        return behind + after.text

    def _said_of_it(self, place: int) -> list[str]:
        """What the next clauses say of a thing: … but I haven't started it; … so I stopped."""
        said: list[str] = []
        while (after := self._goes_on(place)) is not None:
            place += 1
            told = self._scopes[place]
            it = next((token for token in told.tokens if token.text in _SETS["pronouns_en"]), None)
            if it is not None:
                said += [each for each in told.statuses(it.start, it.end) if each != "asked"]
            bare = spaced(after.text).rstrip()
            said += ["denied"] if bare.endswith(_LISTS["refuses_en"]) else []
            said += ["stopped"] if bare.endswith(_LISTS["stops_en"]) else []
        return said

    def _goes_on(self, place: int) -> Clause | None:
        """The next clause of the same sentence, where it names nothing of its own."""
        after = self._parts[place + 1] if place + 1 < len(self._parts) else None
        if after is None or after.sentence != self._parts[place].sentence:
            return None
        return None if any(after.start <= begin < after.end for begin, _ in self._named) else after


def _one_status(said: Sequence[str], kind: str) -> str:
    """The one status of an entity of this kind of which several are said; "" where none holds of it."""
    if "asked" in said:
        return "asked"
    if "denied" in said and not ("stopped" in said and kind == "medications"):  # I don't take it any more
        return "denied"
    if "stopped" in said:
        return "stopped" if kind == "medications" else "past"
    return "past" if "experienced" in said or ("past" in said and kind == "conditions") else ""


def _korean(before: str, behind: str, kind: str) -> list[str]:
    """The statuses that a Korean clause gives to a thing, mostly by what stands behind it."""
    own = behind.split(maxsplit=1)[0] if behind.strip() and not behind[0].isspace() else ""
    if any(phrase in behind for phrase in (*_LISTS["never"], *_LISTS["taken_for"])):
        return ["denied"]
    if kind == "medications":
        if _is_left(own, before, behind):
            return ["stopped"]
        if _has(_LISTS["refused"], behind):
            return ["denied"]
    elif _has(_LISTS["gone"], behind):
        return ["stopped"]
    goes_on = any(phrase in behind for phrase in _LISTS["not_denied"])
    if not goes_on and _has(_LISTS["stopped"], behind):
        return ["stopped"]
    if not goes_on and _is_denied(behind):
        return ["stopped" if _has(_LISTS["no_longer"], before + behind) else "denied"]
    for key, status, where in (
        ("possible", "asked", behind),
        ("experienced", "experienced", behind),
        ("past", "past", before + behind),
    ):
        if _has(_LISTS[key], where):
            return [status]
    return []


def _has(phrases: Sequence[str], text: str) -> bool:
    said = f" {' '.join(text.split())} "
    return any(phrase in said for phrase in phrases)


def _is_left(own: str, before: str, behind: str) -> bool:
    """Whether a medicine was left: 먹다가 …, 작년까지 먹었어요, 리피토로 바꿨어요, 잠깐 쉬고 있어요."""
    until = any(word.strip(_EDGE_CHARACTERS) in _LISTS["until"] for word in behind.split())
    earlier = any(
        word.endswith("까지") or word.startswith(_LISTS["once"]) for word in (before + behind).split()
    )
    ended = earlier and _has(_LISTS["took"], behind)
    swapped = own.startswith(_LISTS["swapped_from"]) and _has(_LISTS["swapped"], behind)
    return until or ended or swapped or _has(_LISTS["paused"], behind)


def _is_denied(behind: str) -> bool:
    """Whether the Korean words behind a thing deny it, and not another thing."""
    said = [word.strip(_EDGE_CHARACTERS) for word in behind.split()]
    for place, word in enumerate(said):
        if word in _LISTS["not_this"] and place <= 1:
            return True
        after = said[place + 1] if place + 1 < len(said) else ""
        negated = (
            (word in _LISTS["not"] and not after.startswith(_LISTS["not_well"]) and not is_severity(after))
            or word.startswith(_LISTS["not_joined"])
            or any(part in word for part in _LISTS["denied"])
        )
        attached = place == 0 and bool(behind) and not behind[0].isspace()
        if place and is_severity(said[place - 1]):
            continue  # 심하지 않아요: how bad it is, is denied
        if negated and (place == 0 or attached or not _is_another_noun(said[place - 1], place - 1, behind)):
            return True
    return False


def _is_another_noun(word: str, place: int, behind: str) -> bool:
    """Whether another noun is denied: 힘이 없어요; not so 열은 없어요, 어지럽지는 않아요, 적이 없어요."""
    if place == 0 and behind and not behind[0].isspace():
        return False  # the particle of the thing itself
    if word in _LISTS["denied_noun"] or word in _LISTS["when"] or word.endswith(_LISTS["verbs_denied"]):
        return False
    return len(word) > 1 and word.endswith(_LISTS["particles"])


def _has_a_noun(text: str) -> bool:
    said = [word.strip(_EDGE_CHARACTERS) for word in text.split()]
    return any(
        len(word) > 1 and word.endswith(_LISTS["particles"]) and word not in _LISTS["when"] for word in said
    )
