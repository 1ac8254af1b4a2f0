"""Whom a clause tells of. What is said of health is one person's.

A relative, a patient, a title, a name, or a verb in the third person is not the speaker. A clause that
names nobody is about the same person as the one before. If it is not known whose something is, it is
nobody's.

Doctors and nurses (known by how they are called: Dr. Lee, 김 원장) tell of the patient, whom they address,
and whose values they read out; of themselves only where they say so ("저도 …", "I take … myself"). The
patient has a name only where one person is present beside them. Whoever else reads a value out ("150에 95
나오네요") may do so for anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists, holds, spaced, word_sets
from context.language.first_person import says_i
from context.language.korean import final, has_hangul
from context.primitives.person_names import called
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.index_terms import words

_LISTS: Final = closed_lists("people")
_SETS: Final = word_sets("people")
_SCOPE: Final = closed_lists("medical_scope")
_OTHER_PEOPLE: Final = frozenset((*_LISTS["others_ko"], *_LISTS["others_en"]))
"""People of whom one tells and who are seldom in the room: daughter, 딸, 환자."""
_TITLED_ENDINGS: Final = tuple(
    f"{title}{end}" for title in _LISTS["titles_ko"] for end in _LISTS["titled_endings"]
)
_MINE: Final = frozenset((*_SCOPE["mine"], *_SCOPE["mine_en"]))
_I_WHO: Final = frozenset(_SCOPE["i_who"])
_OWNED_WORDS: Final = 3
"""Words from "my" or 제 to what is mine, at most."""
_EDGE_CHARACTERS: Final = ".,:;!?()[]\"'“”‘’…~-/*"


def persons(clauses: Sequence[str], speaker: str, names: Sequence[str]) -> list[str]:
    """The name of the person of whom each clause of a text tells; "" where that is not known.

    A clause that does not say so tells of whom the one before it tells, the first of the `speaker`, or of the
    patient of a `speaker` who is a carer. `names`: of the people present.
    """
    carer = is_carer(speaker)
    patient = _patient_of(speaker, names) if carer else ""
    known = patient if carer else speaker
    if clauses and kind_asked(" ".join(clauses)) == "who":
        known = ""
    found = []
    for text in clauses:
        said = _told_by_a_carer(text, speaker, patient, names) if carer else mentioned(text, speaker, names)
        known = known if said is None else said
        found.append(known)
    return found


def is_carer(name: str) -> bool:
    """Whether somebody is called as doctors and nurses are: Dr. Lee, 김 원장, 박서연 간호사."""
    said = spaced(name).split()
    return any(word in _SETS["carers_en"] or word.endswith(_LISTS["carer_names_ko"]) for word in said)


def _patient_of(carer: str, names: Sequence[str]) -> str:
    """The one person who is present beside a carer; "" where there are several, or nobody."""
    others = [name for name in names if name != carer and not is_carer(name)]
    return others[0] if len(others) == 1 and len(set(names) - {carer}) == 1 else ""


def _told_by_a_carer(text: str, speaker: str, patient: str, names: Sequence[str]) -> str | None:
    """Whom a carer's clause to a patient mentions (`mentioned`): only what they call their own is theirs."""
    said = words(text)
    if any(is_another(word) for word in said):
        return ""
    if _is_their_own(text):
        return speaker
    others = [name for name in names if name != speaker and called(name, text)]
    if others:
        return others[0] if len(others) == 1 else ""
    if says_i(text) and not _SETS["somebody_en"].isdisjoint(said):
        return ""
    addresses = not _SETS["you_en"].isdisjoint(said) or says_i(text)
    if not addresses and (not _SETS["he_en"].isdisjoint(said) or _has_a_third_subject(said)):
        return ""
    return patient if addresses else None


def _is_their_own(text: str) -> bool:
    """Whether a carer tells of themselves: 저도 고혈압이 있어요, I take it myself; not: I see your A1c."""
    said = [word.strip(_EDGE_CHARACTERS) for word in text.lower().replace("’", "'").split()]
    if has_hangul(text):
        if any(mark in text for mark in _LISTS["honoured_within"]):
            return False
        also = any(
            word in _SETS["also_i_ko"] and not after.startswith(_LISTS["opinions_ko"])
            for word, after in pairwise([*said, ""])
        )
        takes = any(word.startswith(_LISTS["takes_ko"]) for word in said)
        return also or (takes and says_i(text))
    if not _SETS["you_en"].isdisjoint(said):
        return False
    if "here" in said or any(word.isdigit() and len(word) > 1 for word in said):  # I have 150 over 95 here
        return not _SETS["own_en"].isdisjoint(said)
    takes = any(one in _SETS["i_do_en"] and other in _SETS["i_take_en"] for one, other in pairwise(said))
    return takes or not _SETS["own_en"].isdisjoint(said)


def mentioned(text: str, speaker: str, names: Sequence[str]) -> str | None:
    """The name of whom a clause says that it tells; "": somebody absent, or several; None: not said."""
    said = words(text)
    if any(is_another(word) for word in said):
        return ""
    others = [name for name in names if name != speaker and not is_carer(name) and called(name, text)]
    is_subject = not _SETS["i_do_en"].isdisjoint(said)
    if _reads_out(text):
        return others[0] if len(others) == 1 else ""
    if says_i(text) and (is_subject or has_hangul(text) or not _has_a_third_subject(said)):
        return speaker
    if others:
        return others[0] if len(others) == 1 else ""
    if not is_subject and _has_a_third_subject(said):
        return ""
    if (
        not _SETS["third_en"].isdisjoint(said)
        or not _SETS["titles_en"].isdisjoint(said)
        or _is_of_another(text)
    ):
        return ""
    return None


def _reads_out(text: str) -> bool:
    """Whether a value is read out that stands there now: 혈압 150에 95 나오네요, I'm getting 150 over 95."""
    if not any(char.isdigit() for char in text) or any(place in spaced(text) for place in _LISTS["at_home"]):
        return False
    if has_hangul(text):
        return text.rstrip(_EDGE_CHARACTERS + " ").endswith(_LISTS["reads_out_ko"]) and not says_i(text)
    return holds(spaced(text), _LISTS["reads_out_en"])


def is_another(word: str) -> bool:
    """Whether a word names somebody but the speaker: daughter, daughters, daughter's; 딸은, 환자분들께서."""
    for ending in ("'s", "s") if word.isascii() else _LISTS["others_endings"]:
        if word in _OTHER_PEOPLE:
            return True
        word = word.removesuffix(ending)
    return word in _OTHER_PEOPLE or word.startswith(_LISTS["others_stems"])


def _has_a_third_subject(said: Sequence[str]) -> bool:
    """Whether a third person is subject: Tom takes warfarin; not: the cough has stopped, had a stroke."""
    for place, word in enumerate(said):
        before = said[place - 1] if place else ""
        after = said[place + 1] if place + 1 < len(said) else ""
        if word in _LISTS["third_verbs"]:
            return True
        is_called = bool(before) and before not in _LISTS["no_person"]
        if is_called and word in _LISTS["third_past"] and after not in (*_LISTS["thing_has"], "me"):
            return True
        if is_called and word in ("is", "was") and after in _LISTS["third_states"]:
            return True
        if word.endswith("'s") and word not in _LISTS["no_third_s"] and after in _LISTS["third_states"]:
            return True
    return False


def _is_of_another(text: str) -> bool:
    """Whether a Korean clause speaks as nobody speaks of themselves: 박 과장님은 …, … 드신대요."""
    said = [word.strip(".,!?") for word in text.split()]
    titled = any(word.endswith(_TITLED_ENDINGS) and not word.startswith(_LISTS["carers_ko"]) for word in said)
    return titled or (bool(said) and said[-1].endswith((*_LISTS["honoured"], *_LISTS["hearsay"])))


def is_owned(words_before: str) -> bool:
    """Whether what stands behind these words is the speaker's own: 제 당뇨, 제가 먹는 약, my lisinopril."""
    before = [word.strip(_EDGE_CHARACTERS).lower() for word in words_before.split()]
    near = before[-_OWNED_WORDS:]
    if any(is_another(word) for word in near):
        return False
    if not _MINE.isdisjoint(near):
        return True
    return bool(before) and is_adnominal(before[-1]) and not _I_WHO.isdisjoint(before)


def is_adnominal(word: str) -> bool:
    """Whether a Korean word is a form that a noun follows: 먹는, 있으신, 앓던."""
    return bool(word) and has_hangul(word[-1]) and (final(word[-1]) == "ㄴ" or word.endswith("던"))
