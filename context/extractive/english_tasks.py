# ruff: noqa: E501  # patterns read better unbroken
"""English sentences that take work on or give it: promises, requests, duties, and the answers to them."""

from __future__ import annotations

import re
from typing import Final

from context.extractive.english_forms import opening_left_out
from context.extractive.english_verbs import ADVERBS, is_errand
from context.language.dates import MONTHS

_HEDGED: Final = re.compile(
    r"^(?:if|when|once|unless|suppose|let's say|imagine|as soon as)\b|\b(?:i guess i|i think i'd|unless|i wish|i hope|would have|wouldn't|won't|don't|didn't|never|not going to|can't|isn't|aren't|no promises|can't promise)\b"
    r"|\b(?:where|which|who|how|what|whether) (?:i|we|you)(?:'ll|'m|'re| will| are going| am going| have| need)\b"
)
_I_WILL: Final = re.compile(
    rf"(?<!that )(?<!way )(?<!say )\b(?:i (?:definitely |certainly )?will|i'll|i am going to|i'm going to|i shall|\w+ and i(?: will|'ll| are going to)|(?:me|i) and \w+ (?:will|are going to))\s+{ADVERBS}(.+)"
)
_I_CAN: Final = re.compile(
    rf"\b(?:i can|i could|let me)\s+{ADVERBS}((?:send|mail|email|check (?:with|whether|if|that)|write|bring|take (?:that|care|the)|find out|look into|prepare|order|book|contact|call|ring|phone|chase|set up|follow up (?:with|on)|draft|talk to (?!you)|ask (?!you\b|a question)|sort (?:that|it|this)|have (?:it|that|this|them) (?:done|ready|finished) (?:by|before|on|for|until))\b.+)"
)
_WILL_HAVE: Final = re.compile(
    r"\byou(?:'ll| will) (?:have|get) (?:it|that|them|the|a|an|my|our|both|all)\b.* (?:(?:by|on|before|at) (?:the )?(?:end of|\w+day|tomorrow|noon|lunch|\d)|(?:tonight|tomorrow|this (?:afternoon|evening))\b)"
)
"""You'll have a draft on Thursday: whoever says so writes it."""
_TAKES_TURN: Final = re.compile(
    r"\bi(?:'ll| will) (?:take|cover|do) (?:the )?(?:first|last|other|second|early|late|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mornings?|afternoons?|evenings?|nights?)\b(?! (?:question|point|one)\b)"
)
"""I'll take the Thursday: a turn in what has to be manned."""
_WE_WILL: Final = re.compile(
    rf"(?<!that )(?<!when )\b(?:we will|we'll|we are going to|we're going to|we should|we ought to|we'd better|(?:next|this) (?:week|month) we|tomorrow we)\s+{ADVERBS}(.+)"
    rf"|\bwe (?:need|have) to {ADVERBS}((?:(?:complete|finish|fill in|submit) (?:the|a|our|this)|ask (?!that\b|you\b|is\b|what\b|how\b|whether\b|ourselves\b)\w+ \w+|contact|talk to|send (?:it|the|them|a)|order|check with|call (?!for|it|on)).*)"
)
_WE_ERRAND: Final = re.compile(
    r"(?:ask (?!you\b|that\b|\w+ to (?:comment|speak|go))\w+ \w+|order (?:the|a|it|some|\w+s)|report|send (?!.*\b(?:message|signal)\b)|mail|email|write|check (?!to see|on our)\w+|contact|find out (?:from|whether|if it)|get back|come back (?:to|with) (?:you|the committee|the member|members|an? )|call (?!this|it|on|the|them)\w+|phone|email|book|schedule|arrange|look into|take (?:that|this|it|these) (?:away|back|question|with us|into account for)|prepare|talk to (?!you)|provide (?:you|the|a|them|him|her)|measure|test (?:the|it|that|whether)|review (?:the|it|that)|update (?:the|you|members)|investigate|submit|let you know|follow up|explore (?:that|these|the)|try to (?:find|get|arrange|contact))\b"
)
_ASKED: Final = re.compile(
    rf"^(?:(?!.*\b(?:let me|can|could|may|i|we|is|if)\b.* please)[\w ]{{1,25}} )?please\s+{ADVERBS}(\w+)"
)
_NOT_ASKED: Final = frozenset(
    [
        "wait",
        "note",
        "feel",
        "say",
        "speak",
        "go",
        "join",
        "mute",
        "unmute",
        "welcome",
        "continue",
        "start",
        "see",
        "be",
        "let",
        "ask",
        "look",
        "hold",
        "tell",
        "mister",
        "mr",
        "chair",
        "don't",
        "do",
        "sit",
        "stop",
        "excuse",
        "turn",
        "allow",
        "forgive",
        "bear",
        "correct",
        "explain",
        "just",
        "proceed",
        "wrap",
        "keep",
        "direct",
        "give",
        "remember",
        "submit",
        "return",
        "pass",
        "next",
        "take",
    ]
)
_WISHED: Final = re.compile(
    r"^(?:so )?(?:if (?:you|somebody|someone|anyone|anybody|everyone|everybody) (?:could|can|would|will) (?:also |please |then |all )?(?P<errand>.+)(?:that )?(?:would|'d|will) be (?:very |really |most )?(?:helpful|good|great|nice|useful|appreciated|lovely|wonderful|perfect)"
    r"|(?:it )?(?:would|'d) be (?:very |really )?(?:helpful|good|great|nice|useful) if (?:you|somebody|someone|everyone|everybody) (?:could |can |would )?(?P<other>.+))"
)
_WANTED: Final = re.compile(
    rf"\bi(?:'d like| want| would like|'ll ask| need| expect) (?:you|each of you|everybody|everyone|all of you)(?: two| guys| all| both)? to {ADVERBS}(?P<errand>.+)"
)
_YOU_ALL: Final = re.compile(
    rf"\b(?:you two|you guys|you both|both of you|you all|the two of you|everybody|everyone|each of (?:us|you)) (?:will|'ll|are going to|is going to|have to|has to|should|can|could|need to) {ADVERBS}(?P<errand>.+)"
)
_YOU_WORK: Final = re.compile(
    r"\b(?:you'll|you will|you're going to|you are going to|you have to|you can|you could|you should) (?:then |also |maybe |now )?(?:work on|be working on|prepare|send (?:me|us|it|them|the)|write (?:me|us|a|the|it|up|to)|look into|find out (?:what|how|whether|if|about)|come up with|explore the|think about that for next|check (?:with|whether|if)|produce|provide (?:a|the|us|me|some|more)|report)\b"
)
_YOURS: Final = re.compile(
    r"\b(?:something |what )?(?:you're going to|you are going to|you'll|you will|you should) (?:then |also |now |just )?(?:be )?(?:look(?:ing)? (?:after|out for)|think(?:ing)? about (?:what|how|the)|focus(?:ing)? on (?:the|what|how)|concentrat(?:e|ing) on (?:the|what|how)|tak(?:e|ing) care of)\b"
)
_MUST_BE_READY: Final = re.compile(
    r"\b(?:it|this|that|everything|the \w+) (?:has to|have to|must|needs? to|should) be (?:ready|done|finished|completed|in|there) (?:by|in|before|for|until|at|on)\b|^(?:it|this|everything|\w+ everything|that) has to be (?:ready|finished|done)$"
)
A_NOTE: Final = re.compile(
    r"\b(?:(?:could|can|would|will) you|you could|you can|(?:i'd|we'd|i would|we would) be grateful if you (?:could|would)|would you be able to|it (?:would|may|might) be (?:helpful|useful|possible) for (?:us|you) to) (?:please |also |perhaps |then )*"
    r"(?:(?:give|send|provide|write|receive|have|let)(?: to)?(?: us| the committee| me| members)?(?: with| have)? (?:with )?(?:a |an |some |that |those |more |any |further |the )*(?:further |written |detailed |short )*(?:note|letter|paper|figures|information|breakdown|list|details|response|update|data)\b|write to (?:us|me|the committee|members)\b|come back to (?:us|me|the committee)\b|drop (?:us|me) a (?:note|line)\b)"
)
"""Perhaps you could give us a note on that: what a committee asks of a witness."""
_HAVE_TIME: Final = re.compile(
    r"\byou have (?:half an hour|an hour|\w+ (?:minutes|hours|days)|until \w+) to (?!discuss|present|talk|speak)\w+"
)
_OTHER_WILL: Final = r"(?: (?:over )?here)?(?:,? (?:will|'ll|is going to|are going to|needs? to|has to|have to|should|can|must|you're going to|you will|you'll)|,? (?:can|could|would|will) you(?: please)?|,? please|'s going to)\s+"
_ROLE_WILL: Final = re.compile(
    rf"^(?:(?:and|so|then|also|next) )*(?:the |our )(?:[\w_-]+ ){{0,3}}(?:designer|expert|manager|person|team|engineer|developer|lead|department|marketing|i_d_|u_i_d_|secretary|intern)s?(?: \S+){{0,4}}? (?:will|is going to|are going to|has to|should) {ADVERBS}(?:work on|do (?:the|a)|prepare|look (?:into|at)|check|write|make (?:the|a)|send|find out|come up with|draw up|take care of|contact|order|report)\b"
)
_ROLES: Final = r"(?:the |our )?(?:industrial designer|user interface(?: designer)?|interface designer|market(?:ing)?(?: expert| manager| executive)?|project manager|i_d_|u_i_d?_|u_i_|m_e_|p_m_)"
_ROLE_TASK: Final = re.compile(
    rf"^(?:(?:and|so|then|also|next|as|for) )*{_ROLES} (?:(?:is|are|will be|you're|you are|you'll be|you will be) )?(?:just )?(?:going to |supposed to )?(?:(?:have|has) to |will |should |must |(?:is|are) )?(?:go (?:to|for|and)|work(?:ing)? on|do|doing|look(?:ing)? (?:at|into|after)|prepar(?:e|ing)|think(?:ing)? about|focus(?:ed|ing)? on|(?:the |on the )(?:\w+ ){{0,3}}(?:design|concept|functions|requirements?|specifications?|evaluation|interface|watching))\b"
    rf"|^(?:(?:and|so|then|also|next|as) )*for {_ROLES} (?:\w+ ){{0,2}}(?:designs?|concepts?|functions|requirements?|specifications?|evaluation)\b"
)
"""For the industrial designer the working design; marketing has to go to product evaluation."""
_SUPPOSED: Final = re.compile(
    r"^(?:.{0,40}\b(?:so|and|then|but) )?(?:(?:now|okay|well|it says|i think) )*(?:i'm|i am|you're|you are|you two are|you guys are) (?:both )?supposed to (?P<errand>(?:work|do the|keep|prepare|make the|come up with|look into|write|send|design|find out|report)\b.*)"
)
LIVE: Final = re.compile(
    r"\b(?:right now|at this point|for a (?:second|moment|minute)|in a (?:second|moment|minute)|now then|the (?:first|last|next) line|on the (?:next|first|last) slide|my presentation|the (?:question|intervention|vote|floor))\b|\btake (?:that|it|this) as\b|\bmove (?:on|to|back)\b|\bgo (?:back|ahead|on|first|next)\b"
)
_RANK_WORDS: Final = """
project user industrial marketing grad phd professor postdoc the dr mr mrs ms hon speaker participant member chair product
head team chief senior junior software data design sales
"""
_RANKS: Final = frozenset(_RANK_WORDS.split())
"""Names that begin so are not called by their first word."""


def gives_task(form: str, names: tuple[str, ...]) -> bool:
    """Whether a sentence takes on or gives work."""
    words = len(form.split())
    if words < 3 or words > 60 or _HEDGED.search(form) or LIVE.search(form):
        wished = _WISHED.search(opening_left_out(form))
        return wished is not None and is_errand(wished.group("errand") or wished.group("other") or "")
    if words >= 3:
        for pattern in (_I_WILL, _I_CAN):
            if any(is_errand(rest) for rest in _behind(pattern, form)):
                return True
        if _our_errand(form) or any(
            p.search(form) for p in (_TAKES_TURN, _ROLE_WILL, _ROLE_TASK, _SUPPOSED, _WILL_HAVE)
        ):
            return True
        if by_then(form) or _TELLS_LATER.search(form) or _MY_JOB.search(form) is not None:
            return True
        if other_en(form, names) is not None:
            return True
    emphatic = re.search(r"\bplease do (?P<errand>(?!not\b).+)", form)
    if emphatic is not None and is_errand(emphatic.group("errand")):
        return True
    asked = _ASKED.search(opening_left_out(form))
    if asked is not None:
        return (
            asked.group(1) not in _NOT_ASKED
            or re.search(r"please (?:also )?look (?:at|into)", form) is not None
        )
    if any(p.search(form) for p in (_MUST_BE_READY, _HAVE_TIME, _YOU_WORK, _YOURS, A_NOTE)):
        return True
    for pattern in (_WANTED, _YOU_ALL):
        found = pattern.search(form)
        if found is not None and is_errand(found.group("errand")):
            return True
    wished = _WISHED.search(opening_left_out(form))
    return wished is not None and is_errand(wished.group("errand") or wished.group("other") or "")


_TELLS_LATER: Final = re.compile(
    r"\bi(?:'ll| will) (?:tell (?:you|everyone|everybody)|let (?:you|everyone|everybody) know|report back|get back to (?:you|everyone))\b.*\b(?:next (?:time|week|month|meeting)|tomorrow|tonight|(?:on|by) \w+day|by then)$"
)
"""I don't know. I'll tell you next time."""
_MY_JOB: Final = re.compile(
    r"^(?:(?:so|and|okay|well|now) )*my (?:job|task|tasks|action|plan|to-?do|homework|part|next step)(?: for (?:this|next|the|today)(?: \w+)?| this week| today| tomorrow| next)? (?:is|will be) (?:to )?(?P<errand>(?!not\b|done\b|hard\b|easy\b|that\b|what\b)[a-z]+(?:ing)? \w+)"
)
_BY_THEN: Final = re.compile(
    rf"\bi(?:'ll| will|'m going to| am going to) {ADVERBS}(?P<what>(?:\w+ ){{2,}}.*)"
)


def by_then(form: str) -> bool:
    """I'll get quotes before the weekend: whatever one will do by a day is work, if it is no state."""
    found = _BY_THEN.search(form)
    return (
        found is not None
        and DUE.search(found.group("what")) is not None
        and not STATE.match(found.group("what"))
    )


def _behind(pattern: re.Pattern[str], form: str) -> list[str]:
    """What follows each place where a pattern holds: I'll see, and then I'll send it round."""
    found, start = [], 0
    while (match := pattern.search(form, start)) is not None:
        found.append(match.group(1))
        start = match.start() + 1
    return found


DUE: Final = re.compile(
    rf"\b(?:by|before|until) (?:the (?:end of (?:the |this |next )?)?|next |this |end of )?(?:tomorrow|tonight|noon|lunch|\w+day|(?:{MONTHS})|(?:the )?\d+\w*|week(?:end)?|month|then|eod)\b|\b(?:tomorrow|tonight|this afternoon|this evening|over the weekend|first thing)\b"
)
"""What is to be there by Wednesday is not done here and now."""
STATE: Final = re.compile(
    r"(?:be|have been|see|hear|think|imagine|understand|feel|live|join|make it|come|attend|go|stay|leave|only|remember|do without|wait|believe|say|tell|meet you|use|have(?! (?:it|that|this|them|everything|the \w+|a draft)\b))\b"
)
"""What one is or perceives, or where one will be: no work, whatever day is named."""


_OWNS: Final = r",? (?:(?:you (?:own|take|have)|owns|will own|takes on) (?:the|that|this)\b(?! floor| point)|(?:you're|is|can be) (?:on|in charge of|responsible for) (?!mute\b|the (?:left|right|line|phone|call)\b|holiday|leave\b|time\b|board\b|it\b|your\b|my\b|a \b|the (?:way|road)\b)\w+)"


def other_en(form: str, names: tuple[str, ...]) -> str | None:
    """The participant whom a sentence gives something to do."""
    for name in names:
        lowered = name.lower()
        first = lowered.split()[0] if lowered.split() else ""
        for called in dict.fromkeys((lowered, "" if first in _RANKS else first)):
            if len(called) < 3 or called not in form:
                continue
            if re.match(rf"(?:\w+ ){{0,2}}{re.escape(called)}{_OWNS}", form):
                return name
            noted = re.match(
                rf"(?:(?:\w+ ){{0,3}}(?:action|task|todo|to-do|to do)(?: item| point)? (?:for|on) {re.escape(called)}|{re.escape(called)} to) {ADVERBS}(.+)",
                form,
            )
            if noted is not None and is_errand(noted.group(1)):
                return name
            asked = re.match(
                rf"(?:\w+ ){{0,2}}(?:can|could|would|will) you (?:please )?(?P<errand>.+) {re.escape(called)}$",
                form,
            )
            if asked is not None and is_errand(asked.group("errand")) and DUE.search(asked.group("errand")):
                return name
            found = re.search(
                rf"\b{re.escape(called)}(?: (?:designer|expert|manager|person))?{_OTHER_WILL}{ADVERBS}(.+)",
                form,
            )
            if (
                found is not None
                and found.start() < 40
                and (is_errand(found.group(1)) or found.group(1).startswith("be working on"))
            ):
                return name
    return None


def gives_own_work(form: str) -> bool:
    """Whether the speaker takes work on, for themselves or for their side."""
    return any(pattern.search(form) for pattern in (_I_WILL, _I_CAN, _WILL_HAVE)) or _our_errand(form)


def _our_errand(form: str) -> bool:
    start = 0
    while (ours := _WE_WILL.search(form, start)) is not None:
        if ours.group(2) is not None or _WE_ERRAND.match(ours.group(1)) is not None:
            return True
        start = ours.start() + 1
    return False
