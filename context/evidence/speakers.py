"""Whose words a claim says that it tells: "Karl said …", 김철수 님에 따르면.

Only whom the claim names before a verb of saying, or after "according to": a closed list. They must have said
one of the cited utterances. Of somebody who is not in the meeting, one of those must tell what they said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.evidence.words import is_called, is_named
from context.language.korean import has_hangul
from context.language.questions import BREAK

_SAYS: Final = (
    r"(?:said|says|say|told|tells|stated|states|announced|announces|confirmed|confirms|explained|explains|reported|reports"
    r"|mentioned|mentions|noted|notes|claimed|claims|insisted|insists|argued|argues|replied|replies|answered|answers|added|adds"
    r"|warned|warns|admitted|admits|suggested|suggests|proposed|proposes|promised|promises|declared|declares|revealed|reveals)"
)
_NAME: Final = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30}){0,3}"
_EN: Final = re.compile(
    rf"\b({_NAME})(?:,? who [^,]{{1,40}},)?(?: (?:also|then|has|had|already|later|just|further|clearly|explicitly)){{0,2}} {_SAYS}\b"  # noqa: E501 - a pattern reads better unbroken
    rf"|\b(?:[Aa]ccording to|[Aa]s per|[Ii]n the words of|[Aa]s) ({_NAME})\b|\b{_SAYS} (?:by )?({_NAME})(?=[.,]|$)"  # noqa: E501 - a pattern reads better unbroken
)
_NOBODY_WORDS: Final = (
    "he she they we i you it this that these those who which one everyone everybody someone somebody nobody all both"  # noqa: E501 - a pattern reads better unbroken
    " another others the a an no there what as and but so then thread minutes record meeting transcript"
)
_NOBODY: Final = frozenset(_NOBODY_WORDS.split())
_TITLE: Final = r"(?:대표|회장|사장|이사|전무|상무|본부장|부장|차장|과장|대리|팀장|실장|주임|사원|국장|원장|교수|박사|선생|반장|위원장|의원|간사|약사|매니저|책임|선임|수석|변호사|기자)"  # noqa: E501 - a pattern reads better unbroken
_ENDS_IN_TITLE: Final = re.compile(f"{_TITLE}$")
_KO_NAME: Final = rf"[가-힣A-Za-z]{{1,12}}(?: ?{_TITLE})?"
_KO_PERSON: Final = re.compile(
    rf"(?<![가-힣A-Za-z])({_KO_NAME}) ?(?:님|씨)(?![가-힣]{{0,1}}음)|(?<![가-힣A-Za-z])([가-힣]{{2,4}} ?{_TITLE})(?=께서|[은는이가도의에]|\s|$)"  # noqa: E501 - a pattern reads better unbroken
)
_KO_SOURCE: Final = re.compile(
    rf"(?<![가-힣A-Za-z])({_KO_NAME}?)(?: ?(?:님|씨))?(?:의 (?:말|설명|발언))?(?:에 (?:따르면|의하면)|(?:이|가)? 말하(?:길|기를))|(?<![가-힣])({_KO_NAME}) ?(?:님|씨)? 말로는"  # noqa: E501 - a pattern reads better unbroken
)
_KO_SUBJECT: Final = re.compile(
    r"(?<![가-힣A-Za-z])([가-힣A-Za-z]{1,8}(?: [가-힣A-Za-z]{1,8})?)(?: ?(?:님|씨))?(?:께서|[은는이가도])(?=\s)"  # noqa: E501 - a pattern reads better unbroken
)
_KO_SAYER: Final = re.compile(
    r"(?<![가-힣A-Za-z])([가-힣A-Za-z]{1,8}?)(?: ?(?:님|씨))?(?:께서|[이가]) (?:말했|말씀|말하|밝혔|전했|설명했|주장했|답했|덧붙|언급|발표)"  # noqa: E501 - a pattern reads better unbroken
)
_KO_SAYS: Final = re.compile(
    r"(?:[다라자냐]|느냐)고 (?:말|했|하였|하셨|합|밝|설명|전|답|언급|강조|주장|덧붙)|말했|말씀하|밝혔|언급했|발표했|말하(?:길|기를|였)"  # noqa: E501 - a pattern reads better unbroken
)
_TELLS: Final = re.compile(rf"{_KO_SAYS.pattern}|[대래]요?(?=[\s.,?]|$)|\b{_SAYS}\b")
_KO_NOBODY_WORDS: Final = "기록 회의 발언 대화 논의 회의록 이야기 모두 다들 참석자 참석자들 아무도 누군가"
_KO_NOBODY: Final = frozenset(_KO_NOBODY_WORDS.split())


def speakers_stand(text: str, cited: Sequence[str], names: Sequence[str]) -> bool:
    """Whether everybody whose words a claim tells said one of the cited utterances, each "name: words"."""
    said = [source.partition(": ") for source in cited]
    who = "\n".join(name for name, colon, _ in said if colon)
    for sayer in sayers(text, names):
        if is_named(sayer, who) or any(is_called(each, sayer) and is_named(each, who) for each in names):
            continue
        if any(is_called(each, sayer) for each in names):
            return False
        if not any(_told_of(sayer, spoken if colon else name) for name, colon, spoken in said):
            return False
    return True


def persons_stand(text: str, spoken: str) -> bool:
    """Whether everybody whom a Korean claim calls 님 or 씨, or by a title, is named in its evidence."""
    said = _core(spoken)
    persons = (name for groups in _KO_PERSON.findall(text) for name in groups if name)
    # 비싸다며 원장님께: what stands before a title is not always a name.
    return all(any(_core(part) in said for part in _parts(name)) for name in persons)


def _parts(name: str) -> list[str]:
    """김민지 선생: the whole, its name and its title."""
    found = _ENDS_IN_TITLE.search(name)
    return (
        [part for part in (name, name[: found.start()], found.group()) if part.strip()] if found else [name]
    )


def sayers(text: str, names: Sequence[str] = ()) -> list[str]:
    """Whom a claim names as having said something."""
    found: list[str] = []
    for sentence in BREAK.split(text):
        found += _in_korean(sentence, names) if has_hangul(sentence) else _in_english(sentence)
    return found


def _in_english(sentence: str) -> list[str]:
    names = (name for groups in _EN.findall(sentence) for name in groups if name)
    return [name for name in names if name.split()[-1].lower() not in _NOBODY]


def _in_korean(sentence: str, names: Sequence[str]) -> list[str]:
    found = [name for groups in _KO_SOURCE.findall(sentence) for name in groups if name]
    found += _KO_SAYER.findall(sentence)
    if _KO_SAYS.search(sentence) is not None:
        persons = [name for groups in _KO_PERSON.findall(sentence) for name in groups if name]
        subjects = _KO_SUBJECT.findall(sentence)
        found += [each for each in subjects if any(is_called(name, each) for name in names)][:1] or persons[
            :1
        ]
    return [name for name in found if _core(name) not in _KO_NOBODY]


def _told_of(sayer: str, spoken: str) -> bool:
    """Whether somebody tells in `spoken` what `sayer` said: 원장님도 그러자고 하셨어요."""
    core = _core(sayer).lower()
    return any(
        core in _core(sentence).lower() and _TELLS.search(sentence) is not None
        for sentence in BREAK.split(spoken)
    )


def _core(name: str) -> str:
    return "".join(name.split())
