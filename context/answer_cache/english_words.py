# ruff: noqa: E501  # patterns read better unbroken
"""The English words and patterns by which questions are taken apart; see `english`."""

from __future__ import annotations

import re
from typing import Final

from context.answer_cache.concepts import ENGLISH
from context.answer_cache.reading import Asking, Role
from context.retrieval.terms import stem

SPELLINGS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
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
PHRASES: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
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
CALLING: Final = re.compile(r"^(?:(?:hey|hi|hello|ok|okay|so|and|well|please|moim|@moim)[\s,]+)+")
POLITE: Final = re.compile(
    r"\b(?:can|could|would|will) (?:you|we|i|somebody|someone)(?: please)? (?=tell|give|show|list|remind|summari[sz]e|explain|recap|repeat|say|describe|name|get|know|have)"
    r"|\bplease\b|\bi(?: would|'d)? (?:want|need|like) (?:you )?to (?:know|hear|see)\b|\bdo you (?:know|remember)\b|\bi wonder\b"
    r"|\bjust (?=tell|give|show|list)|\b(?:tell|remind|show|give|let) (?:me|us)(?: know)?(?: again)?(?: of| about)?\b"
)
ASKING_PATTERNS: Final[tuple[tuple[str, Asking], ...]] = (
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
ASKING: Final = tuple((re.compile(pattern), asking) for pattern, asking in ASKING_PATTERNS)
SECOND: Final = re.compile(r"[a-z] (?:and|or) (who|when|where|why|how much|how many|how|what)\b")
FRONTED: Final = re.compile(
    r"^((?:when|if|after|before|while|in|on|at|for|during|regarding|about|as for|concerning|given|among) [^,?]{3,60}),\s+((?:what|who|when|where|why|how|which|did|do|does|is|are|was|were|has|have|will|can)\b.*)$"
)
CLAUSES: Final = frozenset({"when", "where", "why", "how", "who", "what"})
SHOWN: Final = re.compile(
    r"^\s*(?:list|show|name|give|explain|describe|get|find|outline|provide|repeat|a list of|the list of)\b|\blist of\b"
)
AUX: Final = re.compile(
    r"^\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must)\b"
)
SCOPE: Final = {
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
LIGHT_WORDS: Final = """
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
LIGHT: Final = frozenset(LIGHT_WORDS.split())
SOFT: Final = frozenset({"meeting", "today", "session", "call's", "discussion's"})
ARTICLES: Final = frozenset({"the", "a", "an", "our", "your", "their", "this", "these", "those"})
AUXILIARIES: Final[tuple[str, ...]] = ("did", "does", "do", "has", "have", "had", "will", "would")
PREPOSITIONS: Final[dict[str, Role]] = {
    "to": "to",
    "from": "from",
    "than": "than",
    "with": "with",
    "by": "by",
    "for": "for",
    "about": "about",
    "regarding": "about",
    "concerning": "about",
    **dict.fromkeys(AUXILIARIES, "actor"),
}
UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
PLACES: Final = "second third fourth fifth sixth seventh eighth ninth tenth"
NUMBERS: Final = {word: float(value) for value, word in enumerate(UNITS.split())} | {
    word: float(20 + 10 * place) for place, word in enumerate(TENS.split())
}
ORDINALS: Final = {
    **{word: float(place + 2) for place, word in enumerate(PLACES.split())},
    "once": 1.0,
    "twice": 2.0,
    "dozen": 12.0,
    "hundred": 100.0,
    "thousand": 1000.0,
    "million": 1e6,
    "billion": 1e9,
    "half": 0.5,
}
WORD: Final = re.compile(r"\d[\d,]*(?:\.\d+)?|[a-z][a-z']*(?:-[a-z]+)*|[a-z]?\d+[a-z]*|[$€£%]")
LEANING: Final = re.compile(
    r"\b(?:it|its|he|she|him|her|his|hers|that one|this one|the same|the other one|those|these ones?)\b|^(?:and|or|what about|how about|then)\b"
    r"|\b(?:do|did|does|done|say|said|mean|means|meant|about|of|with|to|for|decide|decided|like|agree|why|is|was) (?:that|this|these|those)\b(?! (?:meeting|session|sprint|call|discussion|project|release|[a-z]{4,}))"
    r"|\b(?:why|how|who|when|where|what) (?:is|was|did|does|do) (?:that|this)\b|^(?:that|this)\b"
)  # fmt: skip
THEY: Final = re.compile(r"\b(?:they|them|their|theirs)\b")
MOVING: Final = re.compile(
    r"\bjust\b(?! (?:tell|give|show|list)\b)|\b(?:right|by) now\b|\bso far\b|\bcurrent(?:ly)?\b|\blatest\b|\bmost recent(?:ly)?\b|\brecent(?:ly)?\b"
    r"|\bat the moment\b|\ba (?:moment|minute|while) ago\b|\bearlier\b|\bstill\b|\byet\b|\bmiss(?:ed)?\b|\bnow\b"
)
RECENT: Final = re.compile(
    r"\bjust\b(?! (?:tell|give|show|list)\b)|\blatest\b|\brecent(?:ly)?\b|\b(?:moment|minute|while) ago\b|\bearlier\b"
)
OWN: Final = re.compile(r"\b(?:i|me|my|mine|myself|you|your|yours|miss|missed)\b")
COMING: Final = re.compile(r"\b(?:will|shall|going to|gonna|planned? to|about to|to be)\b")
PAST: Final = re.compile(
    r"\b(?:did|had)\b|\b(?:has|have)(?: \w+){0,4}? (?:been|\w+ed|said|done|made|gone|left|sent|met|paid)\b"
)
PAST_VERB: Final = re.compile(
    r"^(?:\w{2,}ed|said|made|went|left|sent|met|paid|chose|took|gave|told|spoke|wrote|set|ran|saw|got|found|built|brought|bought|sold|won|lost|drew|began|felt|kept|led|heard|held)$"
)
IS_PAST: Final = re.compile(
    r"\b(?:was|were)\b(?: \w+){0,7}? (?:\w+ed|said|made|sent|paid|chosen|taken|given|told|written|set|found|built|brought|bought|sold|drawn|held|shown)\b"
)
GROUP_STEMS: Final = {stem(word): name for word, name in ENGLISH.items()}
IRREGULAR: Final = {
    "said": "say", "says": "say", "spoke": "speak", "spoken": "speak", "thought": "think", "thoughts": "think", "chose": "choose",
    "chosen": "choose", "wrote": "write", "written": "write", "bought": "buy", "sold": "sell", "sent": "send", "began": "begin",
    "begun": "begin", "rose": "rise", "risen": "rise", "grew": "grow", "met": "meet", "shown": "show", "dropped": "drop",
    "begins": "begin", "cutting": "cut", "dropping": "drop", "replies": "reply", "replied": "reply", "done": "finish", "ready": "finish",
    "overview": "overview",
}  # fmt: skip
ASKS: Final = re.compile(
    r"\b(?:ask|asks|asked|asking|tell|tells|told|request|requests|requested|assign|assigns|assigned|give|gives|gave|given|send|sends|sent|report|reports"
    r"|reported|reply|replied|invite|invited|promise|promised|owe|owes|pay|paid|help|helped|helps|support|supports|supported|replace|replaced|charge)\b"
)
