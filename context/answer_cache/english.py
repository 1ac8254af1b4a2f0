# ruff: noqa: E501  # patterns read better unbroken
"""English questions taken apart for comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from context.answer_cache.concepts import ENGLISH
from context.answer_cache.reading import Asking, Role, Tense, Word
from context.retrieval.terms import stem

_SPELLINGS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"[’‘`]", "'"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(who|what|when|where|why|how|that|there|it|he|she|which)'s\b", r"\1 is"),
        (r"'re\b", " are"),
        (r"'ll\b", " will"),
        (r"'ve\b", " have"),
        (r"\b(i)'m\b", r"\1 am"),
        (r"'d\b", " would"),
        (r"\bno longer\b", "not"),
        (r"\bnot only\b", "also"),
        (r"\bdisagree(?=d|s|ing|ment)?", "not support "),
        (r"\bun(?=resolved|solved|finished|confirmed|decided|able|available|paid|answered|known|clear|changed|approved)", "not "),
        (r"\bimpossible\b", "not possible"),
        (r"\bwithout\b|\black(?:s|ed|ing)?\b", "not"),
        (r"\bnobody\b|\bno one\b|\bnone\b", "not anybody"),
        (r"\bno\b(?! doubt| problem)", "not"),
        (r"\bnever\b", "not"),
        (r"\bfail(?:ed|s)? to\b", "not"),
        (r"\bnothing\b", "not"),
    )
)  # fmt: skip
_PHRASES: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\b(?:action items?|to-?\s?dos?|things to do)\b", "task"),
        (r"\b(?:have|has|need|needs|supposed|going) to do\b", "task"),
        (r"\bworking on\b", "task"),
        (r"\b(?:in charge of|responsible for|takes? care of|taking care of|looks? after)\b", "charge"),
        (r"\bwho (owns?|handles?)\b", r"who charge"),
        (r"\b(?:go|goes|went|gone|going) up\b", "raise"),
        (r"\b(?:go|goes|went|gone|going) down\b", "lower"),
        (r"\b(?:pushed? back|put off)\b", "delay"),
        (r"\b(?:bring|brought|moved?) forward\b", "advance"),
        (r"\bkick(?:s|ed|ing)?[ -]off\b", "start"),
        (r"\bsign(?:s|ed)?[ -]off\b", "approve"),
        (r"\b(?:in favou?r of|vote[ds]? for)\b", "support"),
        (r"\b(?:vote[ds]? )?against\b", "oppose"),
        (r"\bobject(?:ed|s|ing)? to\b", "oppose"),
        (r"\bturn(?:s|ed)? down\b", "reject"),
        (r"\bwrap(?:s|ped)? up\b", "finish"),
        (r"\b(?:find|found|finding) out\b", "find"),
        (r"\b(?:go|goes|went|going) live\b", "launch"),
        (r"\bcall(?:ed|s)? off\b", "cancel"),
        (r"\b(?:any |the )?(?:updates?|news|latest) (?:on|about|regarding)\b", "status of"),
        (r"\bturn(?:s|ed)? out\b", "result"),
        (r"\b(?:bring|brought) up\b", "say"),
        (r"\bask(?:ed|s|ing)? for\b", "ask"),
        (r"\b(?:get|got|gets) rid of\b", "remove"),
        (r"\btake(?:s)? (?:the )?(?=minutes|notes)|\btaking (?:the )?(?=minutes|notes)", "write "),
        (r"\b(?:made|make|reached|taken)\b(?= (?:on|about|regarding|for)\b)", ""),
        (r"\b(?:the |any |what |which )?(?:decisions?)(?: (?:was|were|is|are|been|we|did|have|has|they))* (?:made|taken|reached)\b", "what decide"),
        (r"\b(?:agreed?|agreement)(?= (?:on|upon|regarding|about|to)\b)|(?<=was )agreed\b|(?<=were )agreed\b|(?<=we )agree\b|(?<=team )agree\b|(?<=group )agree\b|(?<=they )agree\b", "decide"),
        (r"\bagree[sd]?\b|\bagreeing\b|\bagreement\b", "support"),
        (r"\btake on\b|\bposition on\b|\bstance\b", "opinion"),
        (r"\btalk(?:ed|ing|s)? about\b", "say"),
        (r"\b(?:the )?rest of\b", "other"),
        (r"\b(?:is|are|was|were|be) going to\b|\bgonna\b", "will"),
        (r"\b(?:take|takes|took|taking|taken) place\b", ""),
        (r"\bviews?\b(?= (?:on|about|of|regarding)\b)", "opinion"),
        (r"\bhow (?:did|does|do|has|have|will) (.{3,60}?) (?:turn(?:ed)? out|result|go)\b(?=\s*[?.]?$)", r"what is the result of \1"),
        (r"\bwhat (?:topics|subjects|points)\b(?= (?:were|are|did|have|do))", "what"),
        (r"\b(?:must|should|need|needs|has|have) (.{3,50}?)(?: to)? be (?:ready|done|finished|completed?)\b", r"\1 deadline"),
        (r"\b(?:have|has|had|need|needs|needed) to\b(?! (?:do|be)\b)", "must"),
        (r"\bable to\b", "can"),
        (r"\b(?:need|needs|have|has|must|should|supposed)(?: to)? be (?:ready|done|finished|completed?)\b|\bdue\b|\bdue date\b", "deadline"),
        (r"\bup to now\b", "so far"),
        (r"\b(?:topics?|points?|subjects?) of (?:the )?(?=discussion|conversation|meeting)", ""),
        (r"\bhow (?:is|are|was|were) (.*?) (?:going|coming along|progressing)\b", r"what is the status of \1"),
    )
)  # fmt: skip
_CALLING: Final = re.compile(r"^(?:(?:hey|hi|hello|ok|okay|so|and|well|please|moim|@moim)[\s,]+)+")
_POLITE: Final = re.compile(
    r"\b(?:can|could|would|will) (?:you|we|i|somebody|someone)(?: please)? (?=tell|give|show|list|remind|summari[sz]e|explain|recap|repeat|say|describe|name|get|know|have)"
    r"|\bplease\b|\bi(?: would|'d)? (?:want|need|like) (?:you )?to (?:know|hear|see)\b|\bdo you (?:know|remember)\b|\bi wonder\b"
    r"|\bjust (?=tell|give|show|list)|\b(?:tell|remind|show|give|let) (?:me|us)(?: know)?(?: again)?(?: of| about)?\b"
)
_ASKING_PATTERNS: Final[tuple[tuple[str, Asking], ...]] = (
    (r"\b(?:on |by |at )?(?:what|which) time\b", "hour"),
    (r"\bhow much\b|\bwhat amount(?: of)?\b", "how_much"),
    (r"\bhow many\b|\bwhat is the number of\b|\bwhat number of\b", "how_many"),
    (r"\bhow long\b|\bwhat is the duration of\b|\bduration\b", "how_long"),
    (r"\bhow often\b|\bwhat is the frequency of\b|\bfrequency\b", "how_often"),
    (r"\b(?:what|which) (?:is |was )?the (?:exact )?(?:date\b|(?=[a-z]+ date\b|deadline\b))", "when"),
    (r"\b(?:by |on |until )?(?:when|(?:what|which) (?:date|day))\b", "when"),
    (
        r"\bwhy\b|\bhow come\b|\bfor what reasons?\b|\b(?:what|which) (?:is|was|are|were) the (?:reasons?|causes?)\b|\bwhat caused?\b|\breasons? (?:for|why|behind|of)\b",
        "why",
    ),
    (
        r"\bwhere\b|\b(?:what|which) (?:is|was) the (?:location|venue)\b|\bin (?:what|which) (?:place|location)\b",
        "where",
    ),
    (r"\b(?:by |with |to |for |from )?(?:who|whom|whose)\b|\bwhich (?:person|people|participants?)\b", "who"),
    (r"\bwhat .*?\bnumber of\b", "how_many"),
    (r"\b(?:anyone|anybody)\b", "anyone"),
    (r"\bhow\b", "how"),
    (r"\b(?:what|which)\b", "what"),
)
_ASKING: Final = tuple((re.compile(pattern), asking) for pattern, asking in _ASKING_PATTERNS)
_SECOND: Final = re.compile(r"[a-z] (?:and|or) (who|when|where|why|how much|how many|how|what)\b")
_FRONTED: Final = re.compile(
    r"^((?:when|if|after|before|while|in|on|at|for|during|regarding|about|as for|concerning|given|among) [^,?]{3,60}),\s+((?:what|who|when|where|why|how|which|did|do|does|is|are|was|were|has|have|will|can)\b.*)$"
)
_CLAUSES: Final = frozenset({"when", "where", "why", "how", "who", "what"})
_SHOWN: Final = re.compile(
    r"^\s*(?:list|show|name|give|explain|describe|get|find|outline|provide|repeat|a list of|the list of)\b|\blist of\b"
)
_AUX: Final = re.compile(
    r"^\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must)\b"
)

_SCOPE: Final = {
    "all": "all", "every": "all", "each": "all", "everyone": "all", "everybody": "all", "entire": "all", "whole": "all",
    "everything": "all", "only": "only", "solely": "only", "some": "some", "several": "some", "few": "some", "few of": "some",
    "except": "except", "besides": "except", "but for": "except", "else": "except", "other": "except", "others": "except", "apart": "except",
    "first": "first", "last": "final", "final": "final", "finally": "final", "most": "most", "least": "least", "also": "also", "too": "also",
    "both": "both", "either": "either", "neither": "neither", "beginning": "first", "initially": "first", "start of": "first", "part": "part",
    "half": "half", "more": "more", "less": "less", "fewer": "less", "better": "better", "worse": "worse", "top": "most", "best": "best", "worst": "worst",
    "any": "", "urgent": "urgent",
    "or": "or",
    "can": "can",
    "could": "can",
    "must": "must",
    "should": "must",
    "unless": "unless",
    "hardly": "hardly",
    "barely": "hardly",
    "rarely": "hardly",
}  # fmt: skip
_LIGHT_WORDS: Final = """
a an the of in on at to for from with about regarding concerning towards toward as and but if so into by than that which who whom whose
is are was were be been being am do does did done doing has have had having will would shall may might
i we you they us them our your their ours theirs my me mine it its this these those he she him her his hers there here
when where why how what whether upon
please really actually exactly currently still yet already just now so far ever quite very rather particular specific specifically
team group people participants members everyone anybody anyone somebody someone folks
happen happens happened happening held hold holds place
while during within talk talking discussing meant mean regard respect terms related relating relation
detail details information info thing things content contents list mind
"""
_LIGHT: Final = frozenset(_LIGHT_WORDS.split())
_SOFT: Final = frozenset({"meeting", "today", "session", "call's", "discussion's"})
_ARTICLES: Final = frozenset({"the", "a", "an", "our", "your", "their", "this", "these", "those"})
_AUXILIARIES: Final[tuple[str, ...]] = ("did", "does", "do", "has", "have", "had", "will", "would")
_PREPOSITIONS: Final[dict[str, Role]] = {
    "to": "to",
    "from": "from",
    "than": "than",
    "with": "with",
    "by": "by",
    "for": "for",
    "about": "about",
    "regarding": "about",
    "concerning": "about",
    **dict.fromkeys(_AUXILIARIES, "actor"),
}
_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_PLACES: Final = "second third fourth fifth sixth seventh eighth ninth tenth"
_NUMBERS: Final = {word: float(value) for value, word in enumerate(_UNITS.split())} | {
    word: float(20 + 10 * place) for place, word in enumerate(_TENS.split())
}
_ORDINALS: Final = {
    **{word: float(place + 2) for place, word in enumerate(_PLACES.split())},
    "once": 1.0,
    "twice": 2.0,
    "dozen": 12.0,
    "hundred": 100.0,
    "thousand": 1000.0,
    "million": 1e6,
    "billion": 1e9,
    "half": 0.5,
}
_WORD: Final = re.compile(r"\d[\d,]*(?:\.\d+)?|[a-z][a-z']*(?:-[a-z]+)*|[a-z]?\d+[a-z]*|[$€£%]")
_LEANING: Final = re.compile(
    r"\b(?:it|its|he|she|him|her|his|hers|that one|this one|the same|the other one|those|these ones?)\b|^(?:and|or|what about|how about|then)\b"
    r"|\b(?:do|did|does|done|say|said|mean|means|meant|about|of|with|to|for|decide|decided|like|agree|why|is|was) (?:that|this|these|those)\b(?! (?:meeting|session|sprint|call|discussion|project|release|[a-z]{4,}))"
    r"|\b(?:why|how|who|when|where|what) (?:is|was|did|does|do) (?:that|this)\b|^(?:that|this)\b"
)  # fmt: skip
_THEY: Final = re.compile(r"\b(?:they|them|their|theirs)\b")
_MOVING: Final = re.compile(
    r"\bjust\b(?! (?:tell|give|show|list)\b)|\b(?:right|by) now\b|\bso far\b|\bcurrent(?:ly)?\b|\blatest\b|\bmost recent(?:ly)?\b|\brecent(?:ly)?\b"
    r"|\bat the moment\b|\ba (?:moment|minute|while) ago\b|\bearlier\b|\bstill\b|\byet\b|\bmiss(?:ed)?\b|\bnow\b"
)
_RECENT: Final = re.compile(
    r"\bjust\b(?! (?:tell|give|show|list)\b)|\blatest\b|\brecent(?:ly)?\b|\b(?:moment|minute|while) ago\b|\bearlier\b"
)
_OWN: Final = re.compile(r"\b(?:i|me|my|mine|myself|you|your|yours|miss|missed)\b")
_COMING: Final = re.compile(r"\b(?:will|shall|going to|gonna|planned? to|about to|to be)\b")
_PAST: Final = re.compile(
    r"\b(?:did|had)\b|\b(?:has|have)(?: \w+){0,4}? (?:been|\w+ed|said|done|made|gone|left|sent|met|paid)\b"
)
_PAST_VERB: Final = re.compile(
    r"^(?:\w{2,}ed|said|made|went|left|sent|met|paid|chose|took|gave|told|spoke|wrote|set|ran|saw|got|found|built|brought|bought|sold|won|lost|drew|began|felt|kept|led|heard|held)$"
)
_IS_PAST: Final = re.compile(
    r"\b(?:was|were)\b(?: \w+){0,7}? (?:\w+ed|said|made|sent|paid|chosen|taken|given|told|written|set|found|built|brought|bought|sold|drawn|held|shown)\b"
)


def spelled_out(text: str) -> str:
    """Contractions and negations in one spelling; `text` in lower case."""
    for pattern, put in _SPELLINGS:
        text = pattern.sub(put, text)
    return text


def leans(text: str, subjects: int) -> bool:
    """Whether a question can't be understood alone; "they" needs nobody where enough else is named."""
    return _LEANING.search(text) is not None or (_THEY.search(text) is not None and subjects < 2)


def moves(text: str) -> bool:
    """Whether it asks for the state of things as of now."""
    return _MOVING.search(text) is not None


def looks_back(text: str) -> bool:
    """Whether it asks for the newest only: what was *just* said is another question than what was said."""
    return _RECENT.search(text) is not None


def owned(text: str) -> bool:
    """Whether the answer depends on the asker; "can you tell me" doesn't."""
    return _OWN.search(_POLITE.sub(" ", _CALLING.sub("", text))) is not None


def tense_of(text: str) -> Tense:
    """Whether what is asked about lies behind or ahead, where the words say so."""
    if _COMING.search(text):
        return "coming"
    if _PAST.search(text) or _IS_PAST.search(text):
        return "past"
    words = text.rstrip(" ?.!").split()
    if (
        words[:1]
        and words[0] in {"who", "what", "which"}
        and any(_PAST_VERB.match(word) for word in words[1:4])
    ):
        return "past"
    return ""


def asking_of(text: str) -> tuple[Asking, str]:
    """What kind of answer is wanted, and the text without the words that said so.

    The first question word tells; a further one after "and" is put back as a word of its own. A clause in
    front ("When the user is unknown, what …") goes to the end.
    """
    text = _FRONTED.sub(r"\2 \1", _POLITE.sub(" ", _CALLING.sub("", text)).strip(" ?.!"))
    found = []
    for asking, pattern in ((asking, pattern) for pattern, asking in _ASKING):
        match = pattern.search(text)
        if match is not None:
            found.append((match.start(), -len(match.group()), asking, match))
    if not found:
        return ("yes_no", text) if _AUX.search(text) else ("what", _SHOWN.sub(" ", text))
    _, _, asking, match = min(found, key=lambda each: each[:2])
    if asking in _CLAUSES and match.start() > 0 and _AUX.search(text):
        return "yes_no", text  # "Did we say when …": the answer is yes or no, and the clause is matter
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    second = _SECOND.search(rest)
    return asking, rest if second is None else f"{rest} also{second.group(1).replace(' ', '')}"


def with_deadline(text: str) -> str:
    """A "by" whose moment was cut out behind it as a word of its own: by Friday isn't on Friday."""
    return re.sub(r"\bby\s\s+|\bby\s*(?=[?.!]*$)", " bythen ", text)


def joined_phrases(text: str) -> str:
    """Phrases that are one idea as one word."""
    for pattern, put in _PHRASES:
        text = pattern.sub(put, text)
    return text


def words_of(text: str, named: Callable[[str], bool]) -> tuple[list[Word], list[float], set[str]]:
    """The words that count, the numbers, and the words of scope. `named`: is this word of a person's name?"""
    words: list[Word] = []
    numbers: list[float] = []
    scope: set[str] = set()
    heads: list[int] = []
    denied, before = False, ""
    role: Role = ""
    for piece in _WORD.findall(text):
        bare = piece.removesuffix("'s").rstrip("'")
        if piece == "not":
            denied = not denied
        elif piece == "of":
            heads.append(len(words))
        elif re.fullmatch(r"[\d,]+(?:\.\d+)?", piece):
            numbers.append(float(piece.replace(",", "")))
        elif piece in _NUMBERS or piece in _ORDINALS:
            numbers.append(_NUMBERS.get(piece, _ORDINALS.get(piece, 0.0)))
        elif piece in _SCOPE:
            scope.add(_SCOPE[piece])
        elif bare in _LIGHT and not named(bare):
            if bare not in _ARTICLES:
                role = _PREPOSITIONS.get(bare, "")
        else:
            if words and words[-1].concept and before == words[-1].key and not role:
                role = "object"
            words.append(_word(bare, role, denied=denied, person=named(bare)))
            denied, role, before = False, "", words[-1].key
            continue
        if bare not in _ARTICLES:
            before = ""
    if denied:
        words.append(Word("NOT", denied=True))
    return _possessed(words, heads), numbers, scope - {""}


def _possessed(words: list[Word], heads: list[int]) -> list[Word]:
    """The price of the remote control as the remote control's price: what stands before "of" goes behind."""
    for place in reversed(heads):
        if not 0 < place < len(words) or words[place - 1].concept:
            continue
        end = place
        while end < len(words) and not words[end].concept and not words[end].role and end - place < 3:
            end += 1
        words[place - 1 : end] = [*words[place:end], words[place - 1]]
    return words


def _word(bare: str, role: Role, *, denied: bool, person: bool) -> Word:
    if person:
        return Word(bare, role, denied=denied)
    group = _group(bare)
    if group is not None:
        return Word(group, role, soft=group == "MEETING", concept=True, denied=denied)
    return Word(stem(bare), role, soft=bare in _SOFT, denied=denied)


_GROUP_STEMS: Final = {stem(word): name for word, name in ENGLISH.items()}
_IRREGULAR: Final = {
    "said": "say", "says": "say", "spoke": "speak", "spoken": "speak", "thought": "think", "thoughts": "think", "chose": "choose",
    "chosen": "choose", "wrote": "write", "written": "write", "bought": "buy", "sold": "sell", "sent": "send", "began": "begin",
    "begun": "begin", "rose": "rise", "risen": "rise", "grew": "grow", "met": "meet", "shown": "show", "dropped": "drop",
    "begins": "begin", "cutting": "cut", "dropping": "drop", "replies": "reply", "replied": "reply", "done": "finish", "ready": "finish",
    "overview": "overview",
}  # fmt: skip


def _group(word: str) -> str | None:
    return ENGLISH.get(word) or ENGLISH.get(_IRREGULAR.get(word, "")) or _GROUP_STEMS.get(stem(word))


def roles_by_ask(text: str, names: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Who asks and who is asked, where somebody asks, tells, assigns or sends: (name, before | after | passive)."""
    found = _ASKS.search(text)
    if found is None:
        return frozenset()
    roles = set()
    for name in names:
        for match in re.finditer(rf"\b{re.escape(name)}\b", text):
            place = "before" if match.start() < found.start() else "after"
            passive = (
                "passive" if re.search(r"\b(?:was|were|is|are|been|be)\b", text[: found.start()]) else ""
            )
            roles.add((name, place + passive))
    return frozenset(roles)


_ASKS: Final = re.compile(
    r"\b(?:ask|asks|asked|asking|tell|tells|told|request|requests|requested|assign|assigns|assigned|give|gives|gave|given|send|sends|sent|report|reports"
    r"|reported|reply|replied|invite|invited|promise|promised|owe|owes|pay|paid|help|helped|helps|support|supports|supported|replace|replaced|charge)\b"
)
