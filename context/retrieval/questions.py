"""What a question is about, apart from the way of asking; and how much of that stands in a text.

Only closed lists of the two languages' words for asking, so that what is left are the words of the subject.
A Korean word that only sounds alike counts for less: speech engines garble names and terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from context.language.korean import final
from context.retrieval.answer_kinds import question_words
from context.retrieval.terms import STOPWORDS, coarse, stem, words

_ASKING_KO_WORDS: Final = """
어떻게 어떤 어때 무엇 무슨 뭐 뭘 뭔 어느 우리 저희 지금 오늘 회의 대해 대한 관련 관해 알려 주세요 결론 내용
요약 정리 부분 주제 안건 결정 결재 정해 정하 정했 확정 합의 하기로 까지 이야기 얘기
"""
_ASKING_KO: Final = tuple(_ASKING_KO_WORDS.split())
"""What begins so asks."""
_ASKING_SHORT: Final = ("했", "됐", "되", "돼", "있", "없", "말", "맞", "거", "것", "건")
_LONGEST_SHORT: Final = 4
"""했어요, 말했나요: what begins so asks where it is no longer. 말레이시아 is a place."""
_ASKING_WHOLE_WORDS: Final = """
나요 인가요 수 좀 줘 안 때 때는 때도 때엔 때에 시에 시에는 아니 아니야 아니에요 아니죠 해 해요 해야 하나요
하죠 하지 하니 할까 할까요 합니까 님 님은 님이 님도 씨 씨가 씨는 쌤 선생님 팀장님 대표님 최종 최종적으로
결국 자꾸 계속 다시 아직 이미 벌써 원래 정말 진짜 빨리 일찍 함께 같이 혹시 며칠로 그렇게 이렇게 그건 그게
그걸 그거 이건 이게 이거 시 월 일 원 명 개 대 분 예요 이에요 야 죠
"""
_ASKING_WHOLE: Final = frozenset(_ASKING_WHOLE_WORDS.split())
_ASKING_EN_WORDS: Final = """
decide decided decides decision decisions agree agreed tell me say said says mention mentioned please
conclusion conclude settle settled meeting anybody anyone happen happens happened going get gets got approve
approved much many long know find summarize summarise summary recap part topic discussion overview think
thought thinks opinion suggest suggested propose proposed talked discuss discussed whole still yet ca wo won
isn aren wasn weren didn doesn haven hasn couldn shouldn wouldn how's what's who's where's when's let change
changed changes want wanted wants plan planned prefer prefers reported deciding supposed end ended pick
picked choose chose chosen wrong went till until because though again left remaining using use used come
comes coming getting put putting take taking make makes making made thing things far often time
"""
_ASKING_EN: Final = STOPWORDS | frozenset(_ASKING_EN_WORDS.split())
_PARTICLES_WORDS: Final = """
에서는 으로는 에게는 까지는 한테는 한테 께서 에서 에는 에게 으로 까지 부터 보다 이랑 입니까 인가 은 는 이 가
을 를 의 도 로 와 과 만 에 요
"""
_PARTICLES: Final = tuple(sorted(_PARTICLES_WORDS.split(), key=len, reverse=True))
_PREDICATES_WORDS: Final = """
나요 까요 가요 어요 아요 해요 예요 에요 지요 니까 죠 려 줘 와 나 니 냐 던 려고 려면 으면 겠 야 는지
"""
_PREDICATES: Final = tuple(_PREDICATES_WORDS.split())
"""What ends so is done to the subject, and is put otherwise in the answer: 빌리나요 is 빌립니다 there."""
_DOING: Final = "하했할한합해됐되돼된"
_SOUNDS_LIKE: Final = 0.6
_CONTRACTIONS: Final = ("n't", "'s", "'re", "'ll", "'d", "'ve", "'m")


@lru_cache(maxsize=512)  # sentences of the talk are taken apart for each question that is held against them
def topic_words(question: str) -> tuple[str, ...]:
    """The words that say what `question` is about, in order, without particles; may be empty.

    What is done is given only where no thing is named.
    """
    things = nouns(question)
    return things or tuple(_parts(question))


def nouns(question: str) -> tuple[str, ...]:
    """The things that `question` names."""
    return tuple(word for word, thing in _parts(question).items() if thing)


def searched(question: str) -> tuple[str, ...]:
    """What to look for: the things that `question` names, and what is done."""
    return tuple(_parts(question))


def coverage(topic: Sequence[str], text: str) -> float:
    """Which part of `topic` stands in `text`, 0 to 1; a word that only sounds alike counts less."""
    if not topic:
        return 0.0
    roots, hangul = _heard(text)
    return sum(_found(word, roots, hangul) for word in topic) / len(topic)


def _parts(question: str) -> dict[str, bool]:
    """The words of a question that do not ask, in order; whether each names a thing."""
    found: dict[str, bool] = {}
    asking = {part for asked, _ in question_words(question) for part in asked.split()}
    for word in words(question):
        if word in asking or word.isdigit():
            continue
        if word[0] < "가":
            bare = next((word.removesuffix(each) for each in _CONTRACTIONS if word.endswith(each)), word)
            if bare and len(bare) > 1 and word not in _ASKING_EN and bare not in _ASKING_EN:
                found[bare] = True
        elif not _asks(word):
            thing = _thing(word)
            found.setdefault(thing or word, thing is not None)
    return found


def _asks(word: str) -> bool:
    if word in _ASKING_WHOLE or word.startswith(_ASKING_KO):
        return True
    return len(word) <= _LONGEST_SHORT and word.startswith(_ASKING_SHORT)


def _thing(word: str) -> str | None:
    """The noun of a Korean word, without its particle or 하다; None for what is done."""
    for place in range(2, len(word)):
        if word[place] in _DOING and len(word) - place <= _LONGEST_SHORT:
            return word[:place]
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word.removesuffix(particle)
    past = any(final(syllable) == "ㅆ" for syllable in word[-3:])
    return None if len(word) > 1 and (past or word.endswith(_PREDICATES)) else word


@lru_cache(maxsize=512)  # questions look at the same few hundred sentences again and again
def _heard(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The roots of what is not Hangul, and the Korean words."""
    found = words(text)
    roots = frozenset(stem(word) if word[0].isalpha() else word for word in found if word[0] < "가")
    return roots, tuple(dict.fromkeys(word for word in found if word[0] >= "가"))


def _found(word: str, roots: frozenset[str], hangul: Sequence[str]) -> float:
    if word[0] < "가":
        return float((stem(word) if word[0].isalpha() else word) in roots)
    if any(other.startswith(word) or (len(word) > 1 and word in other) for other in hangul):
        return 1.0
    sounds = coarse(word)
    alike = len(word) > 1 and any(coarse(other).startswith(sounds) for other in hangul)
    return _SOUNDS_LIKE if alike else 0.0
