"""Which language a stretch was spoken in, where the setting is `auto`: by its sound, and by what is expected.

Theory of operation. A model says for a stretch how likely each language is. Of little sound it says so with
far too much assurance, so its shares are tempered by the stretch's length (`evidence`): from two seconds on
they count in full. They are weighed by Bayes' rule against what is expected of the speaker (`choose`).

What is expected (`SpokenLanguages.expected`) is a count of the stretches heard so far, each for the language
that its sound makes the likeliest, by how far it is ahead: one that says nothing counts nothing. Each fades
behind the next ones. They are the speaker's own, those of the whole meeting, worth two of them, and both
languages of Moim with a third of one each. So in a meeting of one language another one has to be twenty times
as likely by its sound: a long stretch is, a short one hardly ever, and several short ones are together, since
it is the evidence that is counted and not the choice. Of somebody who mixes two languages both are expected,
and the sound alone decides. Of somebody who was not heard yet, the meeting's languages are, more loosely.

A successor begins with the utterances on record, which say in which language they were read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Shares = Mapping[str, float]
"""Language code → how likely it is, 0-1; together at most 1."""

FIRST_SHARES: Final[Shares] = {"ko": 0.5, "en": 0.5}
"""What is expected before anything was heard."""
_RARE_SHARE: Final = 0.002
"""How much each other language is expected: a model takes accented Korean for Japanese at 0.9."""
_SURE_MS: Final = 2_000
_MIN_SHARE: Final = 1e-5
"""The least share that is believed of a model: what it rules out may still have been said."""
_TOLD_SHARE: Final = 0.98
"""How far an engine is believed that names one language."""

_HALVED_AFTER_STRETCHES: Final = 3.0
"""A stretch of a speaker counts half after so many more …"""
_MEETING_HALVED_AFTER_STRETCHES: Final = 20.0
"""… and one of the meeting after so many."""
_MEETING_WEIGHT: Final = 2.0
"""So many stretches of a speaker the whole meeting is worth."""
_BEGINNING_WEIGHT: Final = 0.7
"""The same of what is expected at first: it leaves both languages possible for ever."""


def weight(voice_ms: int) -> float:
    """How much of a whole stretch one with so much voice is, 0-1."""
    return min(1.0, max(0, voice_ms) / _SURE_MS)


def evidence(shares: Shares, expected: Shares, voice_ms: int) -> dict[str, float]:
    """What the sound of a stretch says about its language, where a model gave it these `shares`.

    It names those that are `expected`, Korean and English, and the likeliest.
    """
    candidates = {*FIRST_SHARES, *expected, max(shares, key=lambda code: shares[code])}
    return _of_one({code: max(_MIN_SHARE, shares.get(code, 0.0)) ** weight(voice_ms) for code in candidates})


def evidence_of(
    language: str, voice_ms: int, confidence: float | None = None, *, expected: Shares = FIRST_SHARES
) -> dict[str, float]:
    """The same where an engine has named one language alone, for a text of this `confidence` (0-1)."""
    shares = dict.fromkeys({*FIRST_SHARES, *expected}, 1 - _TOLD_SHARE) | {language: _TOLD_SHARE}
    sure = 1.0 if confidence is None else confidence
    return _of_one({code: share ** (weight(voice_ms) * sure) for code, share in shares.items()})


def choose(heard: Shares, expected: Shares) -> str:
    """Choose the language that is likeliest by the evidence `heard` and by what was `expected`."""
    return max(heard, key=lambda code: heard[code] * max(_RARE_SHARE, expected.get(code, 0.0)))


class SpokenLanguages:
    """The languages of one meeting, as far as they were heard; shared by all its tracks."""

    def __init__(self, at_first: Shares = FIRST_SHARES) -> None:
        """`at_first`: what is expected while nothing was heard."""
        self._at_first = at_first
        self._meeting: Shares = {}
        self._speakers: dict[str, Shares] = {}
        """How many stretches were heard in each language, those that have faded being less than one."""

    def hear(self, speaker: str, heard: Shares) -> None:
        """Count a stretch of a speaker, whose sound says so much about its language (`evidence`)."""
        # Without what was expected of it: a meeting must not be taken to be what it was taken to be before.
        likely = _of_one({code: share * FIRST_SHARES.get(code, _RARE_SHARE) for code, share in heard.items()})
        language = max(likely, key=lambda code: likely[code])
        sure = likely[language] - max((likely[code] for code in likely if code != language), default=0.0)
        one, own = ({language: 1.0}, sure), self._speakers.get(speaker, {})
        self._speakers[speaker] = _sum((own, 0.5 ** (sure / _HALVED_AFTER_STRETCHES)), one)
        self._meeting = _sum((self._meeting, 0.5 ** (sure / _MEETING_HALVED_AFTER_STRETCHES)), one)

    def expected(self, speaker: str) -> Shares:
        """How likely each language is for the next stretch of a speaker, before it is heard."""
        own, meeting = self._speakers.get(speaker, {}), self._meeting
        worth = min(1.0, _MEETING_WEIGHT / max(_MIN_SHARE, sum(meeting.values())))
        return _of_one(_sum((own, 1.0), (meeting, worth), (self._at_first, _BEGINNING_WEIGHT)))


def _sum(*terms: tuple[Shares, float]) -> dict[str, float]:
    codes = {code for shares, _ in terms for code in shares}
    return {code: sum(shares.get(code, 0.0) * times for shares, times in terms) for code in codes}


def _of_one(shares: Shares) -> dict[str, float]:
    """The same shares, together 1; those of less than a thousandth are left out."""
    whole = sum(shares.values())
    return {code: share / whole for code, share in shares.items() if share >= whole / 1000}
