# ruff: noqa: E501  # patterns read better unbroken
"""Which English verbs are work that is done after it has been said, and with what behind them."""

from __future__ import annotations

import re
from typing import Final

_ERRAND_WORDS: Final = """
send mail email e-mail write report ask check order prepare update contact call phone book schedule arrange work try
submit upload download publish share forward circulate post print copy save install fix edit test run collect record
rerun redo retrain rewrite resend complete transcribe draft review investigate organise organize provide compile calculate research document measure examine confirm
remind inform notify pay buy hire reserve finish follow figure find look talk speak get come take put make do read
bring add set go build design burn rewire process raise clean sort write-up have ring tell commission chase sign text borrow swap think create move hand let change see meet explore pull notify dig fetch grab chase cancel pick clear delete shift give drive pop nip pair break fill
"""
_ERRAND: Final = frozenset(_ERRAND_WORDS.split())
_IN_FULL: Final = {
    # Words that are an errand only with what follows them.
    "pair": r"(?:them|him|her|it|the|you) .*(?:up|with)\b",
    "fill": r"(?:(?:it|that|them|(?:the|a|my|our) \w+) (?:in|out|up)\b|(?:in|out) )",
    "break": r"it to\b",
    "drive": r"(?:down|over|up|round|out|across|to) (?!the wedge\b)",
    "pop": r"(?:in|round|over|down|by|into)\b(?! up)",
    "nip": r"(?:in|round|over|down|by|into|out)\b",
    "pull": r"(?:the|a|it|them|those|together|up|out)\b(?! plug| face| leg)",
    "pick": r"(?:the|them|those|it up|up (?:the|a|it|some))\b",
    "clear": r"(?:it|that|them|out|up|the|those)\b(?! air| your)",
    "delete": r"(?:it|that|them|the|those|all|both)\b",
    "shift": r"(?:it|them|the|those)\b(?! gears?| focus)",
    "give": r"(?:him|her|them|the \w+|[a-z]+(?: [a-z]+)?) a (?:ring|call|shout|bell|nudge|heads-?up)\b",
    "dig": r"(?:it|that|them|out|up|into|around|through|and)\b",
    "fetch": r"(?:the|a|it|them|those|some)\b",
    "grab": r"(?:the|a|it|them|those|some)\b(?! seat| coffee| drink| pen)",
    "cancel": r"(?:the|it|that|them|those|my|our)\b",
    "work": r"(?:on|with|together|out)\b",
    "follow": r"up\b",
    "figure": r"out\b",
    "find": r"(?:out|somebody|someone|a |the )",
    "look": r"(?:into|at|up|(?:that|it|this|them|these|those) up|for|through|more)\b(?! you)",
    "talk": r"(?:to|with) (?!you\b|about\b)",
    "speak": r"(?:to|with) (?!you\b)",
    "get": r"(?:on ?to (?:the|him|her|them|our|it|that)\b|to (?:that|it|this|work)\b|back to|in touch|hold of|(?:it|that|this|them) (?:done|ready|fixed|sorted|out|in|up|over)\b|(?:the|a|some|those|more|you) \w+|(?:\w+ )?(?:quotes?|prices|numbers|figures|estimates?|samples|tickets|permission|approval|feedback|sign-off)\b)",
    "come": r"(?:back (?:to|with) (?:you|the (?:committee|member|group|house)|a|us|members|an)\b|up with)",
    "take": r"(?!(?:this|it|that) (?:out|off|down|from)\b)(?:that|this|it|these|them|those|care|away|a (?:closer |further )?look|notes|minutes|the minutes|(?:the|that|an) action)\b(?! as a| opportunity| moment| into)",
    "put": r".*\b(?:on|in|into|up|out|together|through)\b",
    "make": r"(?!a note\b|it (?:a|clear)|that (?:a|clear))(?:sure|a |an |the |some |it |that |those |these |\w+ )",
    "do": r"(?:that|it|this|the|a|some|those|these|more|both|another|all|them)\b",
    "read": r"(?:through|up|over|the (?:paper|report|document|draft|book))",
    "bring": r"(?!up the rear|in\b)(?!.*\bup\b)(?:a |an |the |some |it |them |that |\w+ )",
    "add": r"(?:to (?:the|it|that|our) |a |an |the |some |it |them |that |those |\w+ )",
    "set": r"(?:up|out)\b",
    "go": r"(?:through|over|and) (?!the agenda|our|these|those|this|them|it\b)",
    "build": r"(?:a |an |the |some |it |them |that )",
    "design": r"(?:a |an |the |some |it |them |that )",
    "create": r"(?:a |an |the |some |it |them |that )",
    "ask": r"(?!you\b|my\b|when\b|why\b|how\b|what\b|whether\b|if\b|the question|a question|this question|another question|her a\b|him a\b|\w+ to (?:comment|go|speak|answer|start|begin|respond|give|add|come|say|talk|outline|explain|elaborate|pick|tell)\b)",
    "call": r"(?!it\b|that\b|this\b|on\b|them\b|him\b)",
    "think": r"(?:about (?:it|that|this|the) (?:some )?more|of that|(?:some )?more about)",
    "try": r"(?:to )?(?:get|find|write|send|do|make|fix|work|build|look|have|run|set|expand|understand|contact|reach|put|use)\b",
    "write": r"(?!down\b|over\b|(?:it|that|this) (?:down|up on|on the))",
    "remind": r"(?!you\b|members\b|everyone\b|\w+ that\b)",
    "move": r"(?:(?:the|all|those|my|two|three|four|five|six|some|a few|\d+) |(?:it|them) )",
    "change": r"(?:the|it|that|them|my) ",
    "hand": r"(?:in|out)\b",
    "let": r"(?:you|him|her|them|everyone|everybody|(?:the |our )?\w+(?: \w+)?) know\b",
    "have": r"(?:it|that|this|them|those)(?: for you| with you)? (?:by|before) |(?:it|that|this|them|(?:the|a|an|my|our) \w+(?: \w+)?) (?:done|ready|finished|up|out|live|written|drafted|in place)\b",
    "ring": r"(?!a bell|true\b)\w+",
    "tell": r"(?!you\b|me\b|us\b|it\b|a\b|that\b|what\b|how\b|which\b|by\b|in\b|no\b|apart\b)(?:the |our |my )?\w+",
    "commission": r"(?:it|that|the|a|an)\b",
    "sign": r"(?:it|the|that|up|off|with|something)\b",
    "text": r"(?:him|her|them|the|my|our|[a-z]+) ?",
    "borrow": r"(?:a|the|one|it|some)\b",
    "swap": r"(?:the|it|them)\b",
    "see": r"(?:(?:if|whether) (?:i|we|he|she|they|it)|what (?:we|i) can)\b",
    "run": r"(?:the|a|some|it|that|them|another|more|those)\b",
    "record": r"(?!\w+ in)",
    "report": r"",
    "meet": r"(?:with )",
    "explore": r"(?:the|these|those|that|this|a|both|how)\b",
    "process": r"(?:the|it|them|those)\b",
    "sort": r"(?:out|it|them|that|the \w+)\b",
    "save": r"(?:\w{1,2} )?(?:a|the|it|them|this|that|my|our)\b",
    "clean": r"(?:up|the|it)\b",
    "test": r"(?:the|it|that|them|a|some|this|whether|how)\b",
    "finish": r"(?:the|it|that|up|this|my|off)\b",
    "raise": r"(?:it|this|that|the)\b",
    "confirm": r"(?!that\b)",
    "share": r"(?!(?:my|the|this|a) screen|(?:the|that|your|his|her) (?:concern|view|frustration|pain))",
    "send": r"(?!.*\b(?:message|signal)\b)",
    "check": r"(?!to see\b)",
}
ADVERBS: Final = (
    r"(?:(?:also|then|now|definitely|certainly|probably|still|maybe|all|both|quickly|therefore|have to|need to|go and|go ahead and"
    r"|try and|try to|be able to|certainly|gladly|happily|together|at least)\s+)*"
)


def is_errand(rest: str) -> bool:
    """Whether a verb and what follows it is work that is done after it has been said."""
    found = re.match(r"([a-z-]+)\s*(.*)", rest)
    if found is None:
        return False
    verb, after = found.groups()
    if verb not in _ERRAND:
        return False
    needed = _IN_FULL.get(verb)
    return needed is None or re.match(needed, after) is not None
