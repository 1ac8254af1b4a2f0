# ruff: noqa: E501  # patterns read better unbroken
"""English sentences that settle something, give work, or leave something open.

Real talk stutters ("I I 'll um send it"), so a sentence is first brought into plain form. What decides
is the verb: "we'll add a server" settles something, "we'll ask for a price" is somebody's errand,
"we'll see" is neither.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MOST_WORDS: Final = 60
"""Longer sentences tell of something rather than settle it."""

_CLITIC: Final = re.compile(r"\s+('(?:ll|m|s|re|ve|d)|n't)\b")
_FILLER: Final = re.compile(
    r"\b(?:um+|uh+|uhm|er|erm|hmm+|mm(?:-? ?hmm?)?|you know|i mean|sort of|kind of|basically|just|actually|like,)(?=\s|,|$),?"
)
_STUTTER: Final = re.compile(r"\b([\w']+(?: [\w']+){0,2})(?:,? \1\b)+")
_PUNCTUATION: Final = re.compile(r"\s*[,;:\"“”()]+\s*|\s+-\s+|\s+\.$")
_OPENING: Final = re.compile(
    r"^(?:(?:and|so|but|then|well|okay|ok|alright|right|yeah|yes|yep|no|nope|oh|now|good|great|cool|fine|mm|'kay|sure|also|because|'cause|cuz)\b\s*)+"
)


@lru_cache(maxsize=8192)
def plain_form(text: str) -> str:
    """Lower case, without fillers, stutters, commas and detached clitics; for matching, never for show."""
    form = _CLITIC.sub(r"\1", text.lower().replace("’", "'").replace("gonna", "going to").strip(" .!?…\"'"))
    form = _PUNCTUATION.sub(" ", _FILLER.sub(" ", form))
    form = " ".join(form.split())
    return _STUTTER.sub(r"\1", form)


def opening_left_out(form: str) -> str:
    """Without the "okay, so" that it starts with."""
    return _OPENING.sub("", form)


# Verbs

_ERRAND_WORDS: Final = """
send mail email e-mail write report ask check order prepare update contact call phone book schedule arrange work try
submit upload download publish share forward circulate post print copy save install fix edit test run collect record
rerun redo retrain rewrite resend complete transcribe draft review investigate organise organize provide compile calculate research document measure examine confirm
remind inform notify pay buy hire reserve finish follow figure find look talk speak get come take put make do read
bring add set go build design burn rewire process raise clean sort write-up think create move hand let change see meet explore
"""
_ERRAND: Final = frozenset(_ERRAND_WORDS.split())
_IN_FULL: Final = {
    # Words that are an errand only with what follows them.
    "work": r"(?:on|with|together|out)\b",
    "follow": r"up\b",
    "figure": r"out\b",
    "find": r"(?:out|somebody|someone|a |the )",
    "look": r"(?:into|at|up|for|through|more)\b(?! you)",
    "talk": r"(?:to|with) (?!you\b|about\b)",
    "speak": r"(?:to|with) (?!you\b)",
    "get": r"(?:to (?:that|it|this|work)\b|back to|in touch|hold of|(?:the|a|some|those|more|you) \w+)",
    "come": r"(?:back (?:to|with) (?:you|the (?:committee|member|group|house)|a|us|members|an)\b|up with)",
    "take": r"(?!(?:this|it|that) (?:out|off|down|from)\b)(?:that|this|it|these|them|those|care|away|a (?:closer |further )?look|notes|minutes|the minutes)\b(?! as a| opportunity| moment| into)",
    "put": r".*\b(?:on|in|into|up|out|together)\b",
    "make": r"(?!a note\b|it (?:a|clear)|that (?:a|clear))(?:sure|a |an |the |some |it |that |those |these |\w+ )",
    "do": r"(?:that|it|this|the|a|some|those|these|more|both|another|all|them)\b",
    "read": r"(?:through|up|over|the (?:paper|report|document|draft|book))",
    "bring": r"(?!up the rear|in\b)(?!.*\bup\b)(?:a |an |the |some |it |them |that |\w+ )",
    "add": r"(?:a |an |the |some |it |them |that |those |\w+ )",
    "set": r"(?:up|out)\b",
    "go": r"(?:through|over|and) (?!the agenda|our|these|those|this|them|it\b)",
    "build": r"(?:a |an |the |some |it |them |that )",
    "design": r"(?:a |an |the |some |it |them |that )",
    "create": r"(?:a |an |the |some |it |them |that )",
    "ask": r"(?!you\b|my\b|when\b|why\b|how\b|what\b|whether\b|if\b|the question|a question|this question|another question|her a|him a|\w+ to (?:comment|go|speak|answer|start|begin|respond|give|add|come|say|talk|outline|explain|elaborate|pick|tell)\b)",
    "call": r"(?!it\b|that\b|this\b|on\b|them\b|him\b)",
    "think": r"(?:about (?:it|that|this|the) (?:some )?more|of that|(?:some )?more about)",
    "try": r"(?:to )?(?:get|find|write|send|do|make|fix|work|build|look|have|run|set|expand|understand|contact|reach|put|use)\b",
    "write": r"(?!down\b|over\b|(?:it|that|this) (?:down|up on|on the))",
    "remind": r"(?!you\b|members\b|everyone\b|\w+ that\b)",
    "move": r"(?:the|it|them|all|those|my) ",
    "change": r"(?:the|it|that|them|my) ",
    "hand": r"(?:in|out)\b",
    "let": r"(?:you|him|her|them|everyone|everybody|\w+) know\b",
    "see": r"(?:(?:if|whether) (?:i|we|he|she|they|it)|what (?:we|i) can)\b",
    "run": r"(?:the|a|some|it|that|them|another|more|those)\b",
    "record": r"(?!\w+ in)",
    "report": r"",
    "meet": r"(?:with )",
    "explore": r"(?:the|these|those|that|this|a|both|how)\b",
    "process": r"(?:the|it|them|those)\b",
    "sort": r"(?:out|it|them)\b",
    "save": r"(?:\w{1,2} )?(?:a|the|it|them|this|that|my|our)\b",
    "clean": r"(?:up|the|it)\b",
    "test": r"(?:the|it|that|them|a|some|this|whether|how)\b",
    "finish": r"(?:the|it|that|up|this|my|off)\b",
    "raise": r"(?:it|this|that|the)\b",
    "confirm": r"(?!that\b)",
    "share": r"(?!(?:the|that|your|his|her) (?:concern|view|frustration|pain))",
    "send": r"(?!.*\b(?:message|signal)\b)",
    "check": r"(?!to see\b)",
}
_ADVERBS: Final = (
    r"(?:(?:also|then|now|definitely|certainly|probably|still|maybe|all|both|quickly|therefore|have to|need to|go and|go ahead and"
    r"|try and|try to|be able to|certainly|gladly|happily|together|at least)\s+)*"
)
_HEDGED: Final = re.compile(
    r"^(?:if|when|once|unless|suppose|let's say|imagine|as soon as)\b|\b(?:i guess i|i think i'd|unless|i wish|i hope|would have|wouldn't|won't|don't|didn't|never|not going to|can't|isn't|aren't)\b"
    r"|\b(?:where|which|who|how|what|whether) (?:i|we|you)(?:'ll|'m|'re| will| are going| am going| have| need)\b"
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


# Decisions

_WILL: Final = re.compile(
    rf"(?<!that )\b(?:we will|we'll|we are going to|we're going to|we shall)\s+{_ADVERBS}(\w+)"
)
_SETTLING_WORDS: Final = """
add build use move launch release hire switch migrate drop cut raise stop increase reduce extend replace adopt introduce
offer ship deploy buy choose cancel keep stick settle include exclude skip open close start change allow remove pay spend
support limit delay sell outsource merge split appoint approve accept reject implement incorporate rent roll
"""
_SETTLING: Final = frozenset(_SETTLING_WORDS.split())
_IN_MEETING: Final = re.compile(
    r"^(?:we'll|we will|we're going to|we are going to) (?:\w+ )?(?:start|open|close|move|keep|change|stop|add|use) (?:\w+ )?(?:with|by|on\b|off|to\b(?! (?:a|\w+day))|into|straight|at \d|at (?:the )?\w+ seconds|again|the (?:meeting|agenda|presentations?|discussion|floor|whiteboard|board|clock|time)|these|those three|going|your|working|talking|fighting|supporting|that in mind|you|hearing)"
)
_DECIDES: Final = re.compile(
    r"\b(?:we|it|the (?:committee|board|team|group|council))(?:'ve| have| has|'re| are| is|'s| was| were| had)? (?:now |already |all |finally |both |really |been |pretty much |more or less )*(?:decided|agreed|settled|concluded|resolved|opted)\b(?! (?:until|in advance))"
    r"|\b(?:we|it|the (?:committee|board|team|group|council))(?:'ve| have| has) (?:just |now |already )?approved (?:the|this|that|it)\b|\b(?:it|this|that|the \w+) (?:is|was|has been) approved$"
    r"|\b(?:has|have|is|are|was|were) (?:already |now )?(?:been )?ruled out\b|\bwe lose (?:that|the|it)\b|\ba definite (?:yes|no)\b|\bdefinitely (?:going (?:in )?(?:for|with)\b|(?:in|out)$)|\bis (?:in|out) (?:as well|then)\b"
    r"|\b(?:so|then|and|okay) (?:\w+ )?we (?:all )?decide (?:on|to|that|for)\b(?! (?:later|that later))"
    r"|\bwe(?:'re| are) (?:only |all )?going to (?:only )?(?:focus on|target|aim (?:it )?(?:at|for))\b|\bwe've (?:now )?worked out that\b"
    r"|\b(?:that's|that is|that was|this is|that's been|that has been) (?:now |already |all |finally )*(?:decided|agreed|settled|approved)\b"
    r"|\b(?:the|our) (?:final )?decision (?:is|was)\b"
    r"|\b(?:let's|let us) (?:then |now )?(?:go (?:with|for)(?! (?:the |a |our )?(?:lunch|break|coffee|dinner|walk))|settle on|go ahead with|agree (?:on|that|to)|stick (?:with|to)|choose|pick|drop|leave out|cancel|postpone)\b"
    r"|\b(?:we|we'll|we will|we're going to|we are going to|i'd say we|i say we) (?:then |now )?(?:go (?:with|for)|settle (?:on|for)|choose|stick (?:with|to)|opt for)\b(?! that respect| it$)"
    r"|\b(?:we're|we are|we've) (?:now |then |all |definitely )?(?:going|gone) (?:in )?(?:with|for)\b(?!.*\b(?:walk|coffee|drink|lunch|dinner|break)\b)"
    r"|\b(?:we're|we are) (?:definitely |now |then |only )?(?:dropping|leaving out|sticking (?:with|to)|adopting|incorporating)\b|\bwe're definitely (?:using|having|including|keeping)\b"
    r"|\b(?:this|that|it)(?: is|'s) (?:then )?(?:the|our) (?:final |overall )?(?:design|plan|decision|choice|solution)$"
)
_UNDECIDED: Final = re.compile(
    r"\b(?:i think (?!we(?:'ve| have)? (?:all )?(?:decided|agreed|settled))|i guess|i suppose|i believe|i'd|maybe|perhaps|possibly|could|might|may be|should"
    r"|would|if|unless|whether|never|haven't|hasn't|undecided|hope|hopefully|until we|once we|when we|before we"
    r"|need to decide|to be decided|have to decide|has to be decided|open question|still open|next meeting|like to|supposed|what|how|why|who|can we|do we|not (?:yet|been|decided|sure|agreed)|not gone|assuming|say that|let's say|because|since|don't|didn't|doesn't|can't|won't|not going to)\b|\bi think (?:you|they|he|she)\b"
)
_ECHO: Final = re.compile(
    r"^(?:(?:that's|that is|that was|it's|it is|this is) (?:now |all |then |already )*)(?:decided|agreed|settled|approved)(?: then| now| on)?$"
    r"|^(?:i think )?we(?:'ve| have| are|'re)? (?:all )?(?:agreed|decided|settled) (?:on )?(?:that|it|this)$|^(?:decided|settled|approved|agreed then)$"
    r"|^(?:let's|let us) (?:do (?:that|it|this)|go with (?:that|it|this))(?: then)?$"
    r"|^we(?:'ll| will) (?:go with|settle for) (?:that|it|this)(?: then)?$"
)


def is_echo(form: str) -> bool:
    """Decides what was said just before."""
    return _ECHO.search(opening_left_out(form)) is not None


def decides(form: str) -> bool:
    """Whether a sentence settles something by itself."""
    words = len(form.split())
    if words < 4 or words > MOST_WORDS or _UNDECIDED.search(form):
        return False
    bare = opening_left_out(form)
    if re.search(r"\b(?:cut|end|close|leave) (?:the|this) (?:meeting|session|discussion)\b", bare):
        return False
    settled = _DECIDES.search(bare)
    if settled is not None and settled.start() < 40:
        return True
    will = _WILL.search(bare)
    if will is None or will.start() > 25 or words < 5 or _IN_MEETING.match(bare[will.start() :]):
        return False
    return will.group(1) in _SETTLING


_PROPOSES: Final = re.compile(
    r"^(?:let's|let us) (?:then |now |do |use |have |keep |take |make |put |leave |skip |try |add |call )"
    r"|^(?:(?:can|may) )?(?:i|we)(?: would| will|'d|'ll)? (?:like to )?(?:suggest|propose|move)\b(?! on\b| to\b)|\bi(?:'d| would) (?:suggest|propose|say)\b|^my (?:suggestion|proposal) is\b"
    r"|^(?:why don't we (?!do\b|go\b)|how about (?:we|\w+ing)|shall we|should we|what if we)\b"
    r"|^(?:i think )?we (?:should (?:then )?(?:go|use|take|keep|have|make|drop|choose|stick|leave|put)|(?:can |could )?(?:use|take|go for|stick (?:to|with)|drop|skip|keep|choose|leave out))\b"
    r"|^(?:i think )?(?:so )?we(?:'ll| will|'re going to| are going to) (?:not )?(?:have|make|take|put|leave|need(?! to)|be having|include|use)\b(?! to\b)"
    r"|^(?:i think )?(?:so )?we (?:definitely |really |only |all )?(?:want|need|don't want|don't need|won't need|won't have|won't go|keep|use|take|drop|forget|skip|leave|stick|lose)\b(?! to\b(?! be\b))|^(?:i think )?we definitely (?:need|want)\b"
    r"|^(?:we're|we are) (?:now |then |only |not |all )?(?:using|having|including|keeping|making|leaving|putting)\b(?! (?:a )?(?:trouble|problems?|lunch|difficult\w*|fun|in mind|track))"
    r"|^i think (?:that )?(?:we|we'll|we will|we're going to) (?:then )?(?:go (?:with|for)|stick (?:with|to)|settle (?:on|for)|choose|drop|add|keep|use)\b"
    r"|^(?:it|they|this|that|the \w+|everything) (?:definitely )?(?:has to|have to|must|needs? to|should not|shouldn't|won't) (?:be|have|work|fit|last|cost|look|feel|stay|go)\b"
    r"|^.{0,40}\bwe(?:'re| are) (?:definitely |only |not )?(?:having|using|making|incorporating|including)\b|^.{0,30}\bit(?:'s| is)(?: only| just)? going to (?:be|look|have)\b (?!difficult|hard|expensive|a problem|nice|good|cool|great)"
    r"|^(?:no|i don't think|i do not think) (?:that )?(?:we|it) (?:have|has|need|should|want)\b"
    r"|^we(?:'re| are) not going to (?:have|use|include|need|do|make)\b"
)
_CONCLUDES: Final = re.compile(
    r"^(?:(?:okay|ok|alright|right|well|yeah|good|and) )*(?:so|then|okay|alright|right)\b"
)
_SURE_PROPOSAL: Final = re.compile(
    r"^(?:let's|let us|why don't we|shall we|how about|we definitely|i think (?:that )?we|i don't think|it has to|they have to|it must)|\bi(?:'d| would| will|'ll)? (?:like to )?(?:suggest|propose|move)\b|\bi(?:'d| would) say\b(?! (?:it|there|that it|that's|yes|no|so|about|we should say|one|two|three|four|five|six|seven)\b)|\bmy (?:suggestion|proposal)\b|^we(?:'re| are) not going to\b"
)


_PASSING: Final = re.compile(
    r"\b(?:see|look|look at|start|begin|move on|go on|hear|wait|discuss|talk|let's say|know|next (?:item|topic|slide|question)|back to|break|lunch|over to|agenda|first|(?:go )?through|presentations?|questions?|vote|problems?|trouble|time|minutes|idea|choice|many|lots?|quickly|fast|track|skip to|in the order|you (?:go|make)|whiteboard|take care|consider\w*|an end|a day|evaluation|closing|close the project|anywhere|the meeting|maybe|might|depends|whether|how|what|why|where|unless|if (?!that's|members|everyone|everybody|possible|you agree|nobody|all)|it'?s going to be (?:difficult|hard|a problem))\b"
)
"""What is over when it has been done (the order of the meeting), and what is not meant yet."""


def proposes(form: str) -> bool:
    """Whether a sentence becomes a decision by somebody's "okay"."""
    bare = opening_left_out(form)
    if not 5 <= len(form.split()) <= 40 or not _PROPOSES.search(bare):
        return False
    if is_motion(form):
        return True
    if _PASSING.search(bare):
        return False
    return _SURE_PROPOSAL.search(bare) is not None or _CONCLUDES.search(form) is not None


_FORMAL: Final = re.compile(
    r"\b(?:i|we)(?: would| will|'d|'ll)? (?:like to )?(?:suggest|propose|move) (?:that|in|we)\b"
)


_ORDER_OF_TALK: Final = re.compile(
    r"\b(?:whiteboard|discussion|discuss|minutes per|you go|go to|go through|have a look|break|start|begin|fast)\b"
)


def is_motion(form: str) -> bool:
    """A proposal in set form, to which whoever makes it may state the consent: Are Members content? Okay."""
    return _FORMAL.search(form) is not None and _ORDER_OF_TALK.search(form) is None


_ASSENT: Final = re.compile(
    r"^(?:yeah|yes|yep|yup|okay|ok|'kay|sure|right|agreed|i agree|good|great|fine|sounds (?:good|great|fine)|alright|cool|absolutely|definitely|perfect|exactly|that's (?:fine|good|great|okay|right|true)|why not|of course|brilliant|fair enough|no problem|content|mm-hmm|mm hmm)\b"
)
_OBJECTION: Final = re.compile(
    r"^(?:(?:yeah|yes|okay|well|right|mm|hmm|oh) )*(?:but|no|nope|i don't|i'm not|not really|it's not|that's not|we can't|you can't|it depends|if)\b"
)


def assents(form: str) -> bool:
    """Whether somebody agrees."""
    return _ASSENT.match(form) is not None and not objects(form)


def objects(form: str) -> bool:
    """Whether somebody contradicts."""
    return _OBJECTION.match(form) is not None


# Tasks

_I_WILL: Final = re.compile(
    rf"(?<!that )(?<!way )(?<!say )\b(?:i (?:definitely |certainly )?will|i'll|i am going to|i'm going to|i shall|\w+ and i(?: will|'ll| are going to)|(?:me|i) and \w+ (?:will|are going to))\s+{_ADVERBS}(.+)"
)
_I_CAN: Final = re.compile(
    rf"\b(?:i can|i could|let me)\s+{_ADVERBS}((?:send|mail|email|check (?:with|whether|if|that)|write|bring|take (?:that|care|the)|find out|look into|prepare|order|book|contact|call|set up)\b.+)"
)
_DOES_IT: Final = re.compile(
    r"^(?:but |and |so |then |well |yeah |yes |okay |sure )*(?:i|we) ?(?:definitely |certainly )?(?:'ll|will) (?:definitely |certainly |also |then |try to |see to |look at )?(?:do (?:that|it|this)|take care of (?:that|it|this)|look into (?:that|it|this))(?: then| tomorrow| today| next week| tonight)?$"
)
_WE_WILL: Final = re.compile(
    rf"(?<!that )(?<!when )\b(?:we will|we'll|we are going to|we're going to|we should|we ought to|we'd better|(?:next|this) (?:week|month) we|tomorrow we)\s+{_ADVERBS}(.+)"
    rf"|\bwe (?:need|have) to {_ADVERBS}((?:(?:complete|finish|fill in|submit) (?:the|a|our|this)|ask (?!that\b|you\b|is\b|what\b|how\b|whether\b|ourselves\b)\w+ \w+|contact|talk to|send (?:it|the|them|a)|order|check with|call (?!for|it|on)).*)"
)
_WE_ERRAND: Final = re.compile(
    r"(?:ask (?!you\b|that\b|\w+ to (?:comment|speak|go))\w+ \w+|order (?:the|a|it|some|\w+s)|report|send (?!.*\b(?:message|signal)\b)|mail|email|write|check (?!to see|on our)\w+|contact|find out (?:from|whether|if it)|get back|come back (?:to|with) (?:you|the committee|the member|members|an? )|call (?!this|it|on|the|them)\w+|phone|email|book|schedule|arrange|look into|take (?:that|this|it|these) (?:away|back|question|with us|into account for)|prepare|talk to (?!you)|provide (?:you|the|a|them|him|her)|measure|test (?:the|it|that|whether)|review (?:the|it|that)|update (?:the|you|members)|investigate|submit|let you know|follow up|explore (?:that|these|the)|try to (?:find|get|arrange|contact))\b"
)
_ASKED: Final = re.compile(
    rf"^(?:(?!.*\b(?:let me|can|could|may|i|we|is|if)\b.* please)[\w ]{{1,25}} )?please\s+{_ADVERBS}(\w+)"
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
    rf"\bi(?:'d like| want| would like|'ll ask| need| expect) (?:you|each of you|everybody|everyone|all of you)(?: two| guys| all| both)? to {_ADVERBS}(?P<errand>.+)"
)
_YOU_ALL: Final = re.compile(
    rf"\b(?:you two|you guys|you both|both of you|you all|the two of you|everybody|everyone|each of (?:us|you)) (?:will|'ll|are going to|is going to|have to|has to|should|can|could|need to) {_ADVERBS}(?P<errand>.+)"
)
_YOU_WORK: Final = re.compile(
    r"\b(?:you'll|you will|you're going to|you are going to|you have to|you can|you could|you should) (?:then |also |maybe |now )?(?:work on|be working on|prepare|send (?:me|us|it|them|the)|write (?:me|us|a|the|it|up|to)|look into|find out (?:what|how|whether|if|about)|come up with|explore the|think about that for next|check (?:with|whether|if)|produce|report)\b"
)
_MUST_BE_READY: Final = re.compile(
    r"\b(?:it|this|that|everything|the \w+) (?:has to|have to|must|needs? to|should) be (?:ready|done|finished|completed|in|there) (?:by|in|before|for|until|at|on)\b|^(?:it|this|everything|\w+ everything|that) has to be (?:ready|finished|done)$"
)
_HAVE_TIME: Final = re.compile(
    r"\byou have (?:half an hour|an hour|\w+ (?:minutes|hours|days)|until \w+) to (?!discuss|present|talk|speak)\w+"
)
_OTHER_WILL: Final = r"(?: (?:over )?here)?(?:,? (?:will|'ll|is going to|are going to|needs? to|has to|have to|should|can|must|you're going to|you will|you'll)|,? (?:can|could|would|will) you(?: please)?|,? please|'s going to)\s+"
_ROLE_WILL: Final = re.compile(
    rf"^(?:(?:and|so|then|also|next) )*(?:the |our )(?:[\w_-]+ ){{0,3}}(?:designer|expert|manager|person|team|engineer|developer|lead|department|marketing|i_d_|u_i_d_|secretary|intern)s?(?: \S+){{0,4}}? (?:will|is going to|are going to|has to|should) {_ADVERBS}(?:work on|do (?:the|a)|prepare|look (?:into|at)|check|write|make (?:the|a)|send|find out|come up with|draw up|take care of|contact|order|report)\b"
)
_LIVE: Final = re.compile(
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
    if words < 3 or words > 60 or _HEDGED.search(form) or _LIVE.search(form):
        wished = _WISHED.search(opening_left_out(form))
        return wished is not None and is_errand(wished.group("errand") or wished.group("other") or "")
    if words >= 4:
        for pattern in (_I_WILL, _I_CAN):
            mine = pattern.search(form)
            if mine is not None and is_errand(mine.group(1)):
                return True
        if _our_errand(form) or _ROLE_WILL.search(form):
            return True
        if other_en(form, names) is not None:
            return True
    asked = _ASKED.search(opening_left_out(form))
    if asked is not None:
        return (
            asked.group(1) not in _NOT_ASKED
            or re.search(r"please (?:also )?look (?:at|into)", form) is not None
        )
    if any(p.search(form) for p in (_MUST_BE_READY, _HAVE_TIME, _YOU_WORK)):
        return True
    for pattern in (_WANTED, _YOU_ALL):
        found = pattern.search(form)
        if found is not None and is_errand(found.group("errand")):
            return True
    wished = _WISHED.search(opening_left_out(form))
    return wished is not None and is_errand(wished.group("errand") or wished.group("other") or "")


def takes_on(form: str) -> bool:
    """I'll do that: takes on what was asked just before."""
    return _DOES_IT.match(form) is not None


_REQUEST: Final = re.compile(
    rf"^(?:[\w']+ )?(?:can|could|would|will) (?:you|somebody|someone|we)(?: guys| two| all)? (?:please )?{_ADVERBS}(?P<errand>.+)"
)


def requests(form: str) -> bool:
    """Whether a question asks somebody to do something afterwards: can you mail that to the list?"""
    found = _REQUEST.match(opening_left_out(form))
    if found is None or _LIVE.search(form):
        return False
    errand = found.group("errand")
    return is_errand(errand) and not re.match(
        r"(?:do (?:that|it|this)|get|take|see|put|make|go|come|explain|tell)\b(?! sure)", errand
    )


_ACCEPTS: Final = re.compile(
    r"^(?:i|we)(?:'ll| will| can)$|"
    r"^(?:(?:yeah|yes|yep|okay|sure|absolutely|of course|no problem|definitely|oh|mm hmm) ?)+(?:i(?:'ll| will| can)(?: do (?:that|it|so))?|we(?:'ll| will| can)(?: do (?:that|it))?)?$"
    r"|^(?:(?:yeah|yes|okay|sure|oh) )*(?:i|we)(?:'ll| will| can) (?:definitely )?(?:do (?:that|it|so)|\w+ (?:it|that|them))?$"
)


def accepts(form: str) -> bool:
    """Whether an answer takes a request on."""
    return _ACCEPTS.match(form) is not None


def other_en(form: str, names: tuple[str, ...]) -> str | None:
    """The participant whom a sentence gives something to do."""
    for name in names:
        lowered = name.lower()
        first = lowered.split()[0] if lowered.split() else ""
        for called in dict.fromkeys((lowered, "" if first in _RANKS else first)):
            if len(called) < 3 or called not in form:
                continue
            found = re.search(
                rf"\b{re.escape(called)}(?: (?:designer|expert|manager|person))?{_OTHER_WILL}{_ADVERBS}(.+)",
                form,
            )
            if (
                found is not None
                and found.start() < 40
                and (is_errand(found.group(1)) or found.group(1).startswith("be working on"))
            ):
                return name
    return None


# Open points

_OPEN: Final = re.compile(
    r"\bopen (?:question|issue|point|item)|\b(?:leave|keep|save|put|take|discuss|decide|have|do|move|cover|bring)\b.*\b(?:for|until|to|in|at|off to|off until) (?:the|our) next meeting\b|\bto be decided\b|\btbd\b|\bstill open\b|\b(?:not|n't) (?:yet )?decided\b"
    r"|\bundecided\b|\bcome back to (?:this|that|it)\b|\b(?:we|i|to) (?:\w+ )?revisit\b|\bpostpone (?:this|that|it|the)\b|\bdefer (?:this|that|it|the)\b|\b(?:let's|let us|we'll|to|should|can|we) (?:table|park) (?:this|that|it)\b"
    r"|\bunresolved\b|\bputs? (?:this|that|it|the \w+) on hold\b|\bneeds? (?:more|further) (?:discussion|work|thought|investigation)\b|\bdecide (?:on )?(?:that |this |it )?later\b|\bdiscuss (?:that|this|it)(?: one)? (?:later|further)\b|\b(?:have|need) to (?:decide|figure out|find out) (?:whether|if|what|how|which)\b"
)


def is_open(form: str) -> bool:
    """Whether a sentence leaves something open."""
    return _OPEN.search(form) is not None and len(form.split()) <= 30


_COURTESY: Final = re.compile(
    r"^(?:good|great|okay|ok|fine|thanks|thank you|yes|no|yeah|right|sure|exactly|perfect|cool|alright|hello|hi|bye|good morning"
    r"|good afternoon|that is fine|that's fine|sounds good|i agree|agreed|of course|no problem)(?: (?:everyone|everybody|all|guys|then|you|very much))*$"
    r"|\bmeeting is (?:closed|over|adjourned)|\blet(?:'s| us) (?:move on|start|begin|get started|continue|go on|turn)|\bnext (?:topic|item)\b"
    r"|\blast topic\b|\bwelcome\b|\bsee you (?:at|in|next|all|then|on|tomorrow)\b"
)


def is_courtesy(form: str) -> bool:
    """Greetings, thanks, and the chair's announcements."""
    return _COURTESY.search(form) is not None


def gives_own_work(form: str) -> bool:
    """Whether the speaker takes work on, for themselves or for their side."""
    return any(pattern.search(form) for pattern in (_I_WILL, _I_CAN)) or (_our_errand(form))


def _our_errand(form: str) -> bool:
    ours = _WE_WILL.search(form)
    if ours is None:
        return False
    return ours.group(2) is not None or _WE_ERRAND.match(ours.group(1)) is not None
