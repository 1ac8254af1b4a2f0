# ruff: noqa: E501  # patterns read better unbroken
"""English sentences that settle something, are to be agreed on, or leave something open.

What decides is the verb: "we'll add a server" settles something, "we'll ask for a price" is somebody's errand
(`english_tasks`), "we'll see" is neither. All patterns are for the plain form (`english_forms`).
"""

from __future__ import annotations

import re
from typing import Final

from context.extractive.english_forms import opening_left_out
from context.extractive.english_verbs import ADVERBS

MOST_WORDS: Final = 60
"""Longer sentences tell of something rather than settle it."""

# Decisions

_WILL: Final = re.compile(
    rf"(?<!that )\b(?:we will|we'll|we are going to|we're going to|we shall)\s+{ADVERBS}(\w+)"
)
_DENIED: Final = re.compile(
    r"\bwe(?: won't| will not| shall not|'ll not|(?:'re| are) not going to)\b(?! be able)"
)
"""We won't hire anyone: settled by the verb as much as "we'll hire somebody"."""
_SETTLING_WORDS: Final = """
add build use move launch release hire switch migrate drop cut raise stop increase reduce extend replace adopt introduce
offer ship deploy buy choose cancel keep stick settle include exclude skip open close start change allow remove pay spend
support limit delay sell outsource merge split appoint approve accept reject implement incorporate rent roll renew
"""
_SETTLING: Final = frozenset(_SETTLING_WORDS.split())
_IN_MEETING: Final = re.compile(
    r"^(?:we'll|we will|we're going to|we are going to) (?:\w+ )?(?:start|open|close|move|keep|change|stop|add|use) (?:\w+ )?(?:with|by|on\b|off|to\b(?! (?:a|\w+day))|into|straight|at \d|at (?:the )?\w+ seconds|again|the (?:meeting|agenda|presentations?|discussion|floor|whiteboard|board|clock|time)|these|those three|going|your|working|talking|fighting|supporting|that in mind|you|hearing)"
    r"|^(?:we'll|we will|we're going to|we are going to) (?:\w+ )?spend (?:\w+ ){0,3}(?:time|long|minutes?)\b"
)
_DECIDES: Final = re.compile(
    r"\b(?:we|it|the (?:committee|board|team|group|council))(?:'ve| have| has|'re| are| is|'s| was| were| had)? (?:now |already |all |finally |both |really |been |pretty much |more or less )*(?:decided|agreed|settled|concluded|resolved|opted)\b(?! (?:until|in advance))"
    r"|\b(?:we|it|the (?:committee|board|team|group|council))(?:'ve| have| has) (?:just |now |already )?approved (?:the|this|that|it)\b|\b(?:it|this|that|the \w+) (?:is|was|has been) approved$"
    r"|\b(?:has|have|is|are|was|were) (?:already |now )?(?:been )?ruled out\b|\bwe lose (?:that|the|it)\b|\ba definite (?:yes|no)\b|\bdefinitely (?:going (?:in )?(?:for|with)\b|(?:in|out)$)|\bis (?:in|out) (?:as well|then)\b"
    r"|\b(?:so|then|and|okay) (?:\w+ )?we (?:all )?decide (?:on|to|that|for)\b(?! (?:later|that later))"
    r"|\bwe(?:'re| are) (?:only |all )?going to (?:only )?(?:focus on|target|aim (?:it )?(?:at|for))\b|\bwe've (?:now )?worked out that\b"
    r"|\b(?:that's|that is|that was|this is|that's been|that has been) (?:now |already |all |finally )*(?:decided|agreed|settled|approved)\b"
    r"|\b(?:the|our) (?:final )?decision (?:is|was)\b|^(?!what\b|if\b|is\b).*\b(?:that's|and that is|that is) final$"
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
_TOLD: Final = re.compile(
    r"^(?:\w+ ){0,3}?(?:last (?:year|month|week|time|meeting|summer|winter|spring|autumn|quarter|sprint)|yesterday|back (?:in|then)|originally|at the time|in (?:19|20)\d\d|years ago|previously)\b.*\b(?:decided|agreed|settled|opted|chose|went (?:with|for))\b"
)
"""Last year we decided to paint the fence: told of, not settled here."""
_AS_LONG_AS: Final = re.compile(
    r"(?<=\w) (?:and |but )?(?:only if|as long as|provided(?: that)?|unless|until|till) .*$|(?<=\w) (?:for now|for the (?:moment|time being))$"
)


def without_condition(form: str) -> str:
    """Without the "unless", "until" or "only if" behind what is settled; the same where little stands before it."""
    bare = _AS_LONG_AS.sub("", form)
    return bare if len(bare.split()) >= _LEAST_SETTLED else form


_LEAST_SETTLED: Final = 3
_ECHO: Final = re.compile(
    r"^(?:(?:that's|that is|that was|it's|it is|this is) (?:now |all |then |already )*)(?:decided|agreed|settled|approved|carried)(?: then| now| on)?$"
    r"|^(?:i think )?we(?:'ve| have| are|'re)? (?:all )?(?:agreed|decided|settled) (?:on )?(?:that|it|this)$|^(?:decided|settled|approved|agreed then|carried|motion carried)$"
    r"|^(?:let's|let us) (?:do (?:that|it|this)|go with (?:that|it|this))(?: then)?$"
    r"|^we(?:'ll| will) (?:go with|settle for) (?:that|it|this)(?: then)?$"
    r"|^(?:let's|let us) (?:(?:try|scrap|drop|use) (?:that|it|this)|give (?:that|it|this) a (?:try|go))(?: then| for now| out)?$"
    r"|(?:^|\b(?:i'd|i would) say )(?:scrap|drop|forget) (?:that|it|this)(?: \w+ off| altogether| completely| then)?$"
)


_APPROVES: Final = re.compile(
    r"^(?:agreed|deal|good idea|makes sense|fair enough|perfect|i agree|works for me) (?=let|we)"
)


def is_echo(form: str) -> bool:
    """Decides what was said just before."""
    return _ECHO.search(_APPROVES.sub("", opening_left_out(form))) is not None


_VOTED: Final = re.compile(
    r"\b(?:amendment|motion|clause|section|article|resolution|proposal|bill|recommendation|item|minute|account|budget|report|agenda)s?(?: (?!if\b|that\b|be\b|is\b)[\w.-]+){0,4}? (?:is|are|was|has been|have been)"
    r" (?:therefore |hereby |accordingly |duly )*(?:not )?(?:agreed|carried|lost|passed|adopted|defeated|rejected|negatived|approved)(?: to)?\b"
)
"""Amendment 2C is not agreed: what a vote came to."""
_CARRIES: Final = re.compile(
    r"\bthe (?:motion|amendment|proposal|resolution|bill) (?:therefore |duly )?(?:passes|carries|fails|falls)$"
)
_ON_CONDITION: Final = re.compile(r"\b(?:if|unless|once|when|whether|after|until|should|had)\b")


def is_vote(form: str) -> bool:
    """The result of a vote, whichever way it went."""
    found = _VOTED.search(form)
    if found is None:
        return _CARRIES.search(form) is not None and not _ON_CONDITION.search(form)
    return found.end() >= len(form) - 12 and not _ON_CONDITION.search(form)


def decides(form: str) -> bool:
    """Whether a sentence settles something by itself."""
    if is_vote(form):
        return True
    words = len(form.split())
    if words < 4 or words > MOST_WORDS or _TOLD.search(form):
        return False
    form = _DENIED.sub("we will", without_condition(form))
    if _UNDECIDED.search(form):
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
    r"|^(?:let's|let us) (?!(?:be|say|get|think|assume|imagine|pretend|read|turn|sit|stop|finish|open|close|draw|show|not|face|hope|find|check|come|ask|wrap|continue|listen|meet|just|all|go|hear|suppose|switch|pause|run|work|play|focus|stand|yeah|uh|see)\b)\w+ \w+"
    r"|^(?:then |just |no )*(?:leave (?:the |our )?\w+(?: \w+){0,3} (?:out|in|off|as it is|as they are|at \w+)|(?:drop|skip|scrap|forget|cancel|cut|keep) (?!it\b|that\b|this\b|in mind|going|talking|about it)(?:the |our )?\w+|make it (?:a |an |the )?(?!for\b|to\b|in\b|on\b|into\b|look\b|clear|quick|short|work|easy|so\b)\w+|call it \w+|give (?:them|everyone|everybody|people|customers|the \w+) (?:until|till|a|an|one|two|three|four|\d+|another)\b.*)"
    r"|^(?:(?:can|may) )?(?:i|we)(?: would| will|'d|'ll)? (?:like to )?(?:suggest|propose|move)\b(?! on\b| to\b)|\bi(?:'d| would) (?:suggest|propose|say)\b|^my (?:suggestion|proposal) is\b"
    r"|^(?:why don't we (?!do\b|go\b)|how about (?:we|\w+ing)|shall we|should we|what if (?:we|those|these|each|every\w*|all|the \w+s))\b"
    r"|^(?:i think )?we (?:should (?:then )?(?:go|use|take|keep|have|make|drop|choose|stick|leave|put)|(?:can |could )?(?:use|take|go for|stick (?:to|with)|drop|skip|keep|choose|leave out))\b"
    r"|^(?:i think )?(?:so )?we(?:'ll| will|'re going to| are going to) (?:not )?(?:have|make|take|put|leave|need(?! to)|be having|include|use)\b(?! to\b)"
    r"|^(?:i think )?(?:so )?we (?:definitely |really |only |all )?(?:want|need|don't want|don't need|won't need|won't have|won't go|keep|use|take|drop|forget|skip|leave|stick|lose|add|include)\b(?! to\b(?! be\b))|^(?:i think )?we definitely (?:need|want)\b"
    r"|^(?:we're|we are) (?:now |then |only |not |all )?(?:using|having|including|keeping|making|leaving|putting)\b(?! (?:a )?(?:trouble|problems?|lunch|difficult\w*|fun|in mind|track))"
    r"|^i think (?:that )?(?:we|we'll|we will|we're going to) (?:then )?(?:go (?:with|for)|stick (?:with|to)|settle (?:on|for)|choose|drop|add|keep|use)\b"
    r"|^(?:it|they|this|that|the \w+|everything) (?:definitely )?(?:has to|have to|must|needs? to|should not|shouldn't|won't) (?:be|have|work|fit|last|cost|look|feel|stay|go)\b"
    r"|^.{0,40}\bwe(?:'re| are) (?:definitely |only |not )?(?:having|using|making|incorporating|including)\b|^.{0,30}\bit(?:'s| is)(?: only| just)? going to (?:be|look|have)\b (?!difficult|hard|expensive|a problem|nice|good|cool|great)"
    r"|^(?:no|i don't think|i do not think) (?:that )?(?:we|it) (?:have|has|need|should|want)\b"
    r"|^we(?:'re| are) not going to (?:have|use|include|need|do|make)\b"
    r"|^i guess we(?:'ll| will) \w+|^(?:the|our) plan is (?:then )?to \w+|^i(?:'d| would) (?:rather|prefer to) (?:\w+ ){0,5}?(?:keep|use|go (?:with|for)|take|leave|stick|drop|stay)\b"
    r"|^(?:then |so )*i(?:'d| would) (?:go (?:with|for)|choose|pick|drop|stick (?:to|with))\b"
    r"|^(?:then |so )*i(?:'d| would) (?!(?:like|love|say|have|need|be|want|think|guess|appreciate|imagine|expect|hope|know|see|hear|get|assume|argue|ask|do|call|describe|put it|make it clear|give|go|take|keep|use|tell|leave|change)\b)\w+ (?:it|them|the|those)\b"
    r"|^we(?:'ll| will) do (?:a|the|two|three|four|no|one|it in|it with|it by)\b"
    r"|^(?:let's|let us) not (?!forget|worry|rush|argue|get|go|start|talk|think|be|lose|pretend|waste|discuss|worry|say|look)\w+ \w+"
    r"|^(?:(?:i|we) (?:really |still )?think |in my view |maybe |perhaps )?(?:that )?(?:the|our|every|each|all) (?:\w+ ){1,3}should (?:only |then |just |also |still )?(?:be|stay|go|have|start|move|remain|include|come|cost|last|run|begin|end|open|close)\b"
    r"|^(?:so )?the (?:plan|idea) is (?:then )?(?:that )?we\b"
)
_CONCLUDES: Final = re.compile(
    r"^(?:(?:okay|ok|alright|right|well|yeah|good|and) )*(?:so|then|okay|alright|right)\b"
)
_BIDS: Final = re.compile(
    r"^(?:then |just |no )*(?:leave|drop|skip|scrap|forget|cancel|cut|keep|make it|call it|give (?:them|everyone|everybody|people|customers|the \w+))\b"
)
"""Leave shingles out: said to all, and short."""
_SURE_PROPOSAL: Final = re.compile(
    r"^(?:then |just |no )*(?:leave|drop|skip|scrap|forget|cancel|cut|keep|make it|call it|give (?:them|everyone|everybody|people|customers|the \w+))\b|^(?:let's|let us|why don't we|shall we|how about|we definitely|i think (?:that )?we|i don't think|it has to|they have to|it must)|\bi(?:'d| would| will|'ll)? (?:like to )?(?:suggest|propose|move)\b|\bi(?:'d| would) say\b(?! (?:it|there|that it|that's|yes|no|so|about|we should say|one|two|three|four|five|six|seven)\b)|\bmy (?:suggestion|proposal)\b|^we(?:'re| are) not going to\b"
    r"|^(?:let's|let us) not\b|^(?:i think |we think |in my view |maybe |perhaps )?(?:that )?(?:the|our|every|each|all) (?:\w+ ){1,3}should\b|^(?:so )?the idea is\b"
    r"|^i guess we(?:'ll| will)\b|^(?:the|our) plan is\b|^(?:then |so )*i(?:'d| would) (?:(?:rather|prefer|go (?:with|for)|choose|pick|drop|stick)\b|(?!(?:like|love|say|have|need|be|want|think|guess|appreciate|imagine|expect|hope|know|see|hear|get|assume|argue|ask|do|call|describe|put it|make it clear|give|go|take|keep|use|tell|leave|change)\b)\w+ (?:it|them|the|those)\b)|^we(?:'ll| will) do\b"
)


_PASSING: Final = re.compile(
    r"\b(?:see|look|look at|start|begin|move on|go on|hear|wait|discuss|talk|let's say|know|next (?:item|topic|slide|question)|back to|break|lunch|over to|agenda|first|(?:go )?through|presentations?|questions?|vote|problems?|trouble|time|minutes|idea|choice|many|lots?|quickly|fast|track|skip to|in the order|you (?:go|make)|whiteboard|take care|consider\w*|an end|a day|evaluation|closing|close the project|then (?:the|our|on to)|anywhere|the meeting|maybe|might|depends|whether|how|what|why|where|unless|if (?!that's|members|everyone|everybody|possible|you agree|nobody|all)|it'?s going to be (?:difficult|hard|a problem))\b"
)
"""What is over when it has been done (the order of the meeting), and what is not meant yet."""


def orders(form: str) -> bool:
    """Whether a sentence may be about the order of the meeting: "we'll do the hedge, then the water"."""
    return _PASSING.search(opening_left_out(form)) is not None


def proposes(form: str) -> bool:
    """Whether a sentence becomes a decision by somebody's "okay"."""
    bare = opening_left_out(form)
    least = 3 if _BIDS.match(bare) else 4 if bare.startswith(("let's ", "let us ", "i'd ")) else 5
    if not least <= len(form.split()) <= 40:
        return False
    if is_motion(form):
        return True
    if not _PROPOSES.search(bare):
        return False
    if _PASSING.search(bare.removeprefix("how about ")):
        return False
    return _SURE_PROPOSAL.search(bare) is not None or _CONCLUDES.search(form) is not None


_FORMAL: Final = re.compile(
    r"\b(?:i|we)(?: would| will|'d|'ll)? (?:like to )?(?:suggest|propose|move) (?:that|in|we)\b"
    r"|\b(?:is|there's|we have|have) (?:then )?a motion (?:under|in accordance with|that|to)\b"
    r"|\b(?:are|if|whether) (?:\w+ )?(?:members|colleagues|the committee)(?: all| are| is)? (?:happy|content|agreed|willing) (?:to|for|that|with)\b(?! (?:move|start|begin|go|continue|take a break))"
)


_ORDER_OF_TALK: Final = re.compile(
    r"\b(?:whiteboard|discussion|discuss|minutes per|you go|go to|go through|have a look|break|start|begin|fast)\b"
)


def is_motion(form: str) -> bool:
    """A proposal in set form, to which whoever makes it may state the consent: Are Members content? Okay."""
    formal = _FORMAL.search(form) is not None or _UNLESS_OBJECTED.match(form) is not None
    return formal and _ORDER_OF_TALK.search(form) is None


_UNLESS_OBJECTED: Final = re.compile(
    r"^(?:(?:so|okay|right|then|and) )*(?:if (?:nobody|no one|no-one) (?:objects|minds|disagrees|has (?:any )?objections?)|unless (?:anyone|anybody|someone|somebody) objects"
    r"|if (?:everyone|everybody|you)(?:'s|'re| is| are)(?: all)? (?:okay|ok|happy|fine|agreed)(?: with (?:that|it))?|if (?:that's|it's) (?:okay|ok|all right|fine) (?:with|by|for) (?:everyone|everybody|you all|all of you)) (?:\w+ ){2,}"
)
"""If nobody objects, the deadline moves to Friday."""


_ASSENT: Final = re.compile(
    r"^(?:yeah|yes|yep|yup|okay|ok|'kay|sure|right|agreed|i agree|good|great|fine|sounds (?:good|great|fine)|alright|cool|no agreed|absolutely|definitely|perfect|exactly|that's (?:fine|good|great|okay|right|true)|why not|of course|brilliant|fair enough|no problem|content|mm-hmm|mm hmm|works for me|that works|deal|go for it|done|makes sense|even better$|(?:i |i'd )?love (?:it|that)\b|seconded|i second|carried$|correct$|no objections?|no complaints|not opposed|i'm in$|count me in|i can live with|happy(?: with that)?$|happy with that|same(?: here)?$|ditto$|please(?: do)?$|please yes|works$|suits me|fine by me|good by me|go on then|sold$|you're on$|i'm (?:fine|happy|okay|good|all right) with|me too|understood$|(?:then )?by all means|none (?:here|from me)$|not from me$|so moved$|(?:that's|sounds) (?:reasonable|sensible|fair)$|i could live with|(?:i have )?no reason (?:not )?to)\b"
)
_OBJECTION: Final = re.compile(
    r"^(?:(?:yeah|yes|okay|well|right|mm|hmm|oh) )*(?:but|(?:absolutely|definitely|certainly|of course|probably) not\b|not at all\b|no(?! agreed| problem| worries| objections?| complaints| reason (?:not )?to| need to| doubt| harm)|nope|i don't|i'm not|not really|it's not|that's not|we can't|you can't|it depends|if)\b"
)


def assents(form: str) -> bool:
    """Whether somebody agrees."""
    return _ASSENT.match(form) is not None and not objects(form)


def objects(form: str) -> bool:
    """Whether somebody contradicts."""
    return _OBJECTION.match(form) is not None


# Open points

_OPEN: Final = re.compile(
    r"\b(?:still )?(?:haven't|have not|hasn't|didn't|did not) (?:yet |quite |really )?(?:agreed|decided|settled|resolved)\b|\bleave (?:that|it|this|(?:the|our) \w+) (?:for|until|till) (?:\w+day|next|tomorrow|later|another|now)\b|"
    r"\b(?:let's|let us|we'll|we can|we should) (?:take|pick|bring) (?:it|this|that) (?:back )?up (?:again )?(?:next|later|another|at the|on|when)\b|\bopen (?:question|issue|point|item)|\b(?:leave|keep|save|put|take|discuss|decide|have|do|move|cover|bring)\b.*\b(?:for|until|to|in|at|off to|off until) (?:the|our) next meeting\b|\bto be decided\b|\btbd\b|\bstill open\b|\b(?:not|n't) (?:yet )?decided\b"
    r"|\bundecided\b|\bcome back to (?:this|that|it)\b|\bget back to (?:this|that|it) (?:at|on|in) (?:the|our) next\b|\b(?:we|i|to) (?:\w+ )?revisit\b|\bpostpone (?:this|that|it|the)\b|\bdefer (?:this|that|it|the)\b|\b(?:let's|let us|we'll|to|should|can|we) (?:table|park) (?:this|that|it)\b"
    r"|\bunresolved\b|\bputs? (?:this|that|it|the \w+) on hold\b|\bneeds? (?:more|further) (?:discussion|work|thought|investigation)\b|\bdecide (?:on )?(?:that |this |it )?later\b|\bdiscuss (?:that|this|it)(?: one)? (?:later|further)\b|\b(?:decide|settle|pick|choose|sort) (?:on )?(?:that|this|it|one)?(?: out)? ?(?:tomorrow|another time|(?:on |this |next )\w+day|next (?:week|time|month|sprint|year))\b|\b(?:have|need) to (?:decide|figure out|find out) (?:whether|if|what|how|which)\b"
)


def is_open(form: str) -> bool:
    """Whether a sentence leaves something open."""
    return _OPEN.search(form) is not None and len(form.split()) <= 30


_COURTESY: Final = re.compile(
    r"^(?:good|great|okay|ok|fine|thanks|thank you|yes|no|yeah|right|sure|exactly|perfect|cool|alright|hello|hi|bye|good morning"
    r"|good afternoon|that is fine|that's fine|sounds good|i agree|agreed|of course|no problem)(?: (?:everyone|everybody|all|guys|then|you|very much))*$"
    r"|\bmeeting is (?:closed|over|adjourned)|\blet(?:'s| us) (?:move on|start|begin|get started|continue|go on|turn)|\bnext (?:topic|item)\b"
    r"|^(?:if )?there(?:'s| is) nothing else\b|^(?:let's|let us|we'll|i'll) (?:stop|close|leave it|wrap up|finish|end) (?:(?:it|up) )?(?:there|here|for today|the meeting)$"
    r"|\blast topic\b|\bwelcome\b|\bsee you (?:at|in|next|all|then|on|tomorrow)\b"
)


def is_courtesy(form: str) -> bool:
    """Greetings, thanks, and the chair's announcements."""
    return _COURTESY.search(form) is not None
