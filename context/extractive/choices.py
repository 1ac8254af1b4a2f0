# ruff: noqa: E501  # patterns read better unbroken
"""What a team settles by naming it: "Ninety per cent?" "I'd say seventy-five." "All right, seventy-five."

No verb stands in it. It is told by what it answers: something was to be chosen ("should we", "what about", "A or B"),
somebody named it, and somebody else opens with "all right" or "okay" and names it again, or names it and is told yes. Beside
it stands the consent that is asked for: "Everyone happy with that?", 다들 괜찮으세요?.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from context.extractive import english_cues as english
from context.extractive.agreement import agreed_by, answer_to, objected_to, sets_about
from context.extractive.english_forms import opening_left_out, plain_form
from context.extractive.judge import is_clean, judge
from context.extractive.reading import read
from context.extractive.sentences import Said
from context.extractive.subjects import agree, facts, matter
from context.language.korean import has_hangul
from context.models import Statement

_HEARD: Final = 6
"""Utterances in which it was put what to choose, and named."""
_SENTENCES: Final = 30
_LONGEST: Final = 10
_AROUND: Final = 20
_YES: Final = 2
_MOST_PUT: Final = 25
"""Longer sentences argue; what is put to a team is short."""
_PUT: Final = re.compile(
    r"\b(?:should(?:n't)?|shall|what about|how about|what if|i'd|we'd|would(?:n't)?|let's|why not|why don't we|rather|instead|make it|go with|go for)\b"
    r"|\b(?:can|could|do|are|when|where|which|who|what|how (?:many|much|long|often)) (?:\w+ )?(?:do |are |should |can )?we\b|\b(?:\w+ (?:of|for|to) )?\w+ or \w+(?: \w+)?$|\bwe (?:could|can|need to|have to) (?:pick|choose|decide|do|have)\b"
)
_LEADS: Final = re.compile(
    r"^(?:all right|alright|okay|ok|good(?! (?:catch|point|idea|question))|fine|right|great|perfect|deal|lovely|sure|go on|yeah|yes)(?: then)?(?= )(?: then)?"
)
_LED: Final = re.compile(
    r"^(?:all right|alright|okay|ok|good|fine|right|great|perfect|deal|lovely|sure|go on)\b", re.IGNORECASE
)
_THEN: Final = re.compile(
    r"^(?:[A-Za-z]+(?: [a-z]+)?\s?, )?(?P<what>[^,.?!]{2,40}?)\s?, then(?:\s?[,.!]|$)|^(?P<last>[^,.?!]{2,40}?) then[.!]?$",
    re.IGNORECASE,
)
_NO_CHOICE: Final = re.compile(
    r"\b(?:i|i'm|i've|i'll|you|you're|he|she|they|we|we're|it|it's|there|that's|what|how|who|why|is|are|was|were|am|do|does|did|have|has|had|will|would|can|could|should|not|no|thanks|thank|sorry|please|question|next|so|because|but|(?<!-)first|catch|page|slide|item|minutes? (?:left|to go)|mistake|think|guess|well|now|until|since|even|only if|if|unless|forget|never mind)\b"
)
_PREFERS: Final = re.compile(
    r"^(?!(?:that|this|it|what|which|there|everything|he|she|they|we|you|i)\b)(?P<what>.{1,40}?)(?: (?:sounds?|looks?|seems?)(?: about)? (?:right|good|fine|sensible|best|better)|(?:'s| is| are| works?| would be)(?: much| way)? (?:better|fine|good|best|okay|enough|plenty|ideal|perfect|fair|safer|safest|simpler|simplest|easier|for me|for us))(?: (?:to|for|by|with) (?:me|us))?(?: as well| too)?$"
)
_CONSENT_EN: Final = re.compile(
    r"^(?:(?:so|okay|right|and|then|well|is|are) )*(?:(?:we|you guys|you) all|every(?:one|body)|all|everyone else|all of (?:you|us)) (?:agreed?|happy|okay|ok|fine|content|in favou?r|on board|all right|alright)(?: (?:with|about|to|on|by)(?P<what> .+)?)?$"
    r"|^(?:(?:so|okay|right|and|is there|are there) )*(?:any|no) (?:objections?|dissent|opposition|disagreement|takers against|votes against)$|^(?:is )?any(?:one|body) (?:against|opposed|not happy|disagree)(?: (?:it|that|this))?$"
    r"|^(?:(?:so|okay|and) )*(?:can|could) (?:every(?:one|body)|we all|you all|all of you) (?:live with|work with|make|manage|do)(?P<with> .+)$"
    r"|^(?:(?:so|okay|and) )*(?:do|are|can) we (?:all |now )?(?:agree|agreed|happy|settled)(?: (?:with|about|on|to|by) (?:that|this|it|that one|the idea of)(?P<idea> .+)?)?$|^(?:so )?(?:agreed|do you (?:all |guys )?agree|everyone agreed?)$"
    r"|^(?:is|are) (?:that|this) (?:all )?(?:okay|ok|fine|agreed|all right|alright)(?: (?:with|by|for))? (?:everyone|everybody|you all|all of you|you guys)$|^(?:does )?(?:that|this) (?:work|suit)s? (?:for )?(?:everyone|everybody|you all|us all)$"
)
_CONSENT_KO: Final = re.compile(
    r"^(?:(?:그럼|그러면|혹시|이렇게|이걸로|그렇게)\s)*(?:(?:다들|모두|다른\s?분들?(?:도|은)?|여러분)\s?)?(?:(?:이의|반대|다른\s?의견)\s?(?:있으(?:세요|십니까|신\s?분|신가요)|없으(?:시죠|십니까|신가요|세요)|없죠|있어요?|없지)|(?:다들|모두|다)\s?(?:괜찮|동의하|좋)[가-힣]{1,4})$"
)
_CONSENT_TO_KO: Final = re.compile(
    r"^.{6,80}(?:하는|되는|으로|로|한|할|은|는|보내는|드리는)\s?(?:데|것|점)(?:에|에\s?대해(?:서)?|에\s?대하여)?\s(?:혹시\s|다들\s|모두\s)?(?:이의|반대|다른\s?의견)\s?(?:있으|없으)(?:십니까|시죠|신가요|세요|시지요)$"
)
"""안수진 위원을 위원장으로 선출하는 데 이의 없으십니까?"""
_IN_FAVOUR_KO: Final = re.compile(
    r"^(?!저|나|난|다들|모두|그럼\s다들)\S.{1,40}\s(?:찬성|동의)(?:하시죠|하세요|하십니까|하시나요|이시죠|하지)?$"
)
"""국판 찬성?"""
_NOBODY: Final = re.compile(
    r"^(?:no|none|nope|nobody|no one|nothing|not (?:from|by) me|no objections?|no no|none here|none from me|not here)$"
)
_ORDER: Final = re.compile(
    r"\b(?:agenda|start|begin|move on|break|lunch|coffee|finish|stop|meeting|slide|presentation|whiteboard|screen|read|digits|question|minutes|next item)\b"
)
_SAYING: Final = frozenset({"must", "should", "could", "would", "want", "need", "future", "past"})
_EMPTY: Final = frozenset({"one", "thing", "then", "right", "good", "okay", "fine", "great", "yeah", "sure"})


def chosen(said: Sequence[Said], place: int) -> Statement | None:
    """The decision that the sentence at `place` is by naming what was to be chosen; None where it is none."""
    sentence = said[place]
    if "?" in sentence.text or has_hangul(sentence.text) or len(sentence.text) > 120:
        return None
    form = plain_form(sentence.text)
    if (refused := _refused(said, place, form)) is not None:
        return refused
    what, sure = _named(said, place, form)
    if not what or _ORDER.search(form) or objected_to(said, place):
        return None
    before = [each for each in _recent(said, place) if len(each.text.split()) <= _MOST_PUT]
    if not any(_puts(each) for each in before):
        return None
    speaker = sentence.utterance.speaker_id
    naming = [each for each in reversed(before) if _names(each.text, what)]
    naming = [each for each in naming if each.utterance.speaker_id != speaker] or naming
    named = next((each for each in naming if _puts(each)), naming[0] if naming else None)
    if named is None and not sure and len(matter(what) - _EMPTY) > 1:
        asked = next((each for each in reversed(before) if "?" in each.text), None)
        named = asked if asked is not None and _puts(asked) else None  # it answers the last question
    if not sure and named is not None and _approves(said[place], named, form):
        sure = True
    own = named is not None and named.utterance.speaker_id == speaker
    by = _next_yes(said, place) if own or not sure else None
    if named is None or (
        by is None and (not sure or named.utterance.speaker_id == sentence.utterance.speaker_id)
    ):
        return None
    told = facts(sentence.text)
    by_itself = sure and bool(told.dates or told.days or told.weekdays)
    return _of([*([] if by_itself else [named]), sentence, *([by] if by is not None else [])])


_NONE_OF: Final = re.compile(
    r"^(?:(?:so|then|okay|right|well|for now|until then|this (?:year|time|month)) )*no (?P<what>\w+(?: \w+){0,4})$"
)


def _refused(said: Sequence[Said], place: int, form: str) -> Statement | None:
    """No name tags, after "do we want name tags?": what was asked for is not wanted."""
    found = _NONE_OF.match(form)
    about = matter(found.group("what")) - _EMPTY if found is not None else frozenset()
    if not about or objected_to(said, place):
        return None
    asked = next(
        (
            each
            for each in reversed(_recent(said, place, _HEARD + 2))
            if "?" in each.text and about & matter(each.text)
        ),
        None,
    )
    put = asked is not None and (_puts(asked) or _next_yes(said, place) is not None)
    if asked is None or not put or not _is_tidy(said, place):
        return None
    return None if re.search(r"\b(?:no|not)\b", plain_form(asked.text)) else _of([asked, said[place]])


def _approves(sentence: Said, named: Said, form: str) -> bool:
    """The twentieth's good: a yes to the day that somebody else has named."""
    return (
        named.utterance.speaker_id != sentence.utterance.speaker_id
        and _PREFERS.match(opening_left_out(form)) is not None
        and bool(facts(named.text))
        and (_puts(named) or "thought" in named.text)
    )


def _next_yes(said: Sequence[Said], place: int) -> Said | None:
    """Who says yes to it, or sets about it, in the very next turn of somebody else."""
    by = agreed_by(said, place)
    speaker = said[place].utterance.speaker_id
    reply = next((each for each in said[place + 1 : place + 4] if each.utterance.speaker_id != speaker), None)
    if reply is None:
        return None
    if by is not None and by.utterance.id == reply.utterance.id:
        return by
    return reply if sets_about(reply.text) else None


def _named(said: Sequence[Said], place: int, form: str) -> tuple[str, bool]:
    """What a sentence names without saying anything of it, "" if nothing, and whether that settles it without a yes."""
    then = _THEN.match(said[place].text)
    if then is not None:
        what = opening_left_out(plain_form(then.group("what") or then.group("last")))
        return (what, True) if what and not _NO_CHOICE.search(what.removeprefix("no ")) else ("", False)
    prefers = _PREFERS.match(opening_left_out(form))
    if prefers is not None and _is_tidy(said, place):
        return prefers.group("what"), False
    if english.assents(form) and len(form.split()) <= _YES and not facts(form):
        return "", False  # fair enough: a yes, no name
    rest = _CONTRAST.sub("", _LEADS.sub("", form).strip())
    if not 1 <= len(rest.split()) <= _LONGEST or _NO_CHOICE.search(rest):
        return "", False
    led = rest != form or _led(said[place])
    if led and facts(rest):
        return rest, True
    bare = len(rest.split()) > 1 and _is_tidy(said, place) and not _says(said[place].text)
    return (rest, False) if bare else ("", False)


_CONTRAST: Final = re.compile(
    r"(?<=\w) (?:forget|not|rather than|instead of|and not) (?:about )?(?:the )?\w+(?: \w+)?$"
)
"""All right, grey throughout, forget the buff: what it takes the place of."""


def _says(text: str) -> bool:
    """Whether a verb of wanting or needing stands in it: then it is no name of something."""
    return bool(read(text, judge().known).cues & _SAYING)


def _is_tidy(said: Sequence[Said], place: int) -> bool:
    """Whether the talk around it comes in sentences: among half words and nods a noun is no answer."""
    return is_clean(said[max(0, place - _AROUND) : place + _AROUND])


def _led(sentence: Said) -> bool:
    """Whether the turn opens with "all right", which is left out of the quote."""
    opening = sentence.utterance.text[: max(0, sentence.utterance.text.find(sentence.text[:20]))]
    return _LED.search(opening.strip()) is not None and len(opening.split()) <= 3


def _recent(said: Sequence[Said], place: int, heard: int = _HEARD) -> list[Said]:
    """What was said in the last few turns, this turn apart."""
    here = said[place].utterance.id
    return [
        each for each in said[max(0, place - _SENTENCES) : place] if here - heard <= each.utterance.id < here
    ]


@lru_cache(maxsize=512)
def _puts_text(text: str) -> bool:
    form = plain_form(text)
    if _WISHED.search(form):
        return False
    if "?" in text and len(form.split()) <= _OPTIONS and _OR.search(form):
        return True
    return _PUT.search(form) is not None or ("?" in text and len(form.split()) <= 4 and bool(facts(text)))


_WISHED: Final = re.compile(r"\byou (?:wanted|said|asked for|thought)\b")
_OPTIONS: Final = 16
_OR: Final = re.compile(r"\w or (?!so\b|something\b|not\b|whatever\b|anything\b|two\b|what\b)\w")


def _puts(each: Said) -> bool:
    return _puts_text(each.text)


@lru_cache(maxsize=2048)
def _names(text: str, what: str) -> bool:
    """Whether a text names the same figure, day or thing."""
    one, other = facts(text), facts(what)
    if other and (one or not matter(what) - _EMPTY):
        return agree(one, other)
    return bool((matter(text) & matter(what)) - _EMPTY)


@lru_cache(maxsize=512)
def asks_consent(text: str) -> bool:
    """Everyone happy with that? 이의 없으시죠?"""
    bare = text.strip(" .!?…。\"'”")
    if has_hangul(bare):
        in_favour = "?" in text and _IN_FAVOUR_KO.match(bare) is not None
        return in_favour or _CONSENT_KO.match(bare) is not None or _CONSENT_TO_KO.match(bare) is not None
    return "?" in text and _CONSENT_EN.match(plain_form(text)) is not None


def consented(said: Sequence[Said], place: int) -> Statement | None:
    """What the question at `place` asks consent to, where it is given."""
    if not asks_consent(said[place].text):
        return _fragment(said, place)
    by = _consents(said, place)
    about = _asked_about(said, place)
    if by is None or about is None:
        return None
    return _of([*([about] if about is not said[place] else []), said[place], by])


_DAY_ONLY: Final = 8
_NO_DAY: Final = re.compile(
    r"\b(?:i|you|he|she|they|is|are|was|were|am|do|does|did|have|has|had|will|would|can|could|who|what|how|why|where|which|not|no|last|since|or|because|already)\b"
)


def _fragment(said: Sequence[Said], place: int) -> Statement | None:
    """Next meeting, same place, the third? – Yes."""
    sentence = said[place]
    form = plain_form(sentence.text)
    if "?" not in sentence.text or has_hangul(form) or len(form.split()) > _DAY_ONLY or _NO_DAY.search(form):
        return None
    told = facts(sentence.text)
    if not (told.dates or told.days or told.weekdays) or not _is_tidy(said, place):
        return None
    by = _next_yes(said, place)
    if by is None or "?" in by.text:
        return None
    before = [each for each in _recent(said, place) if _names(each.text, sentence.text)]
    return _of([*before[-1:], sentence, by])


def _consents(said: Sequence[Said], place: int) -> Said | None:
    found = answer_to(said, place)
    if found is not None and found[0] in {"yes", "will"}:
        return found[1]
    for reply in said[place + 1 : place + 4]:
        if reply.utterance.speaker_id != said[place].utterance.speaker_id:
            return reply if _NOBODY.match(plain_form(reply.text)) and _denies(said[place].text) else None
    return None


def _denies(question: str) -> bool:
    return (
        re.search(r"objection|against|opposed|opposition|dissent|disagree|not happy", question, re.IGNORECASE)
        is not None
    )


def _asked_about(said: Sequence[Said], place: int) -> Said | None:
    """What consent is asked to: in the question itself, or the last that was stated before it."""
    question = said[place]
    bare = question.text.strip(" .!?…。\"'”")
    if _CONSENT_TO_KO.match(bare) or _IN_FAVOUR_KO.match(bare):
        return question
    if not has_hangul(question.text):
        found = _CONSENT_EN.match(plain_form(question.text))
        what = (found.group("what") or found.group("idea") or found.group("with") or "") if found else ""
        if (len(what.split()) >= 2 or facts(what)) and not _ORDER.search(what):
            return question
    for before in reversed(said[max(0, place - 6) : place]):
        words = len(before.text.split())
        own = before.utterance.id == question.utterance.id and bool(facts(before.text))
        least = 2 if own or has_hangul(before.text) else 4
        stated = "?" not in before.text and least <= words <= _MOST_PUT
        told = own or matter(before.text)
        if stated and told and not _ORDER.search(plain_form(before.text)):
            return before
    return None


def _of(parts: Sequence[Said]) -> Statement:
    texts = dict.fromkeys(
        each.text for each in sorted(parts, key=lambda each: (each.utterance.id, each.place))
    )
    evidence = sorted({each.utterance.id for each in parts})
    return Statement(text=" ".join(texts), evidence=tuple(evidence), status="decided")
