"""Phrases of English talk by what they do, whatever the talk is about.

What a phrase weighs is not said here: that is learnt from labelled talk (`judge`). So a class may be
generous, and one phrase may stand in several.
"""

from __future__ import annotations

from typing import Final

_CLASSES: Final[dict[str, str]] = {
    "we_will": "we'll | we will | we're going to | we are going to | we shall | we gonna | we're gonna",
    "we": "we | we'll | we're | we've | we'd | us | let's | our",
    "lets": "let's | let us",
    "i": "i | i'll | i'm | i've | i'd | me | my",
    "you": """
you | you'll | you're | you've | you'd | your | everybody | everyone | somebody | someone |
anybody
""",
    "they": "they | they're | they've | he | she | he's | she's | people | them | users | user",
    "it": "it | it's | it'll | that | that's | this | these | those",
    "future": "will | going to | gonna | shall | we'll | i'll | you'll | it'll | they'll | won't",
    "must": "have to | has to | need to | needs to | must | got to | gotta | needs",
    "should": "should | ought to | better | supposed to | shouldn't",
    "could": "could | can | might | may | couldn't | can't",
    "would": "would | i'd | we'd | it'd | wouldn't | you'd",
    "want": "want | wanna | wants | want to | would like | 'd like",
    "need": "need | we need | needed",
    "past": "was | were | did | had | didn't | wasn't | used to | said | thought | found | got | came | went",
    "perfect": "we've | i've | has been | have been | you've | they've",
    "decide": """
decided | agreed | settled | decide | decision | decisions | agree on | concluded | approved |
agreement | consensus | we agree | decide on
""",
    "go_for": """
go for | go with | going for | going with | gone for | gone with | going in for | went with |
went for | opt for | goes with
""",
    "stick": """
stick | stick with | stick to | keep | leave | stay | stay with | keep it | leave it | sticking
| keeping
""",
    "use": """
use | using | have | having | include | including | add | adding | make | making | put | take |
get | gets | build | incorporate | incorporated | included | made | used | choose | chosen |
pick
""",
    "drop": """
drop | skip | lose | forget | remove | without | get rid | rid of | leave out | eliminate |
eliminated | dropped | don't need | no need | not need | don't want | cut | ignore | scrap |
except
""",
    "errand": """
send | email | mail | e-mail | write | check | ask | find out | look into | talk to | prepare |
finish | work on | working on | bring | call | update | read | contact | investigate | research
| write up | look at | collect | order | get back | follow up | put up | post | distribute |
email it | fix | test | try | run | provide | explore | come up with | come back | report | sort
out | think about | look up | figure out | submit | summarise | type | circulate | double check
| arrange | organize | meet | redo | print | make sure | set up | measure | produce | design |
take care
""",
    "opinion": """
think | know | see | guess | mean | understand | remember | believe | suppose | hope | wonder |
feel | like
""",
    "meta": """
meeting | slide | slides | presentation | present | draw | pen | screen | board | minutes left |
next one | move on | start | begin | introduce | agenda | discuss | discussion | talk about |
talking | question | questions | animal | microphone | time | minute | minutes to go | computer
| laptop | save | document | powerpoint | whiteboard | open | show | hear | say | break | lunch
| coffee
""",
    "grade": """
one | two | three | four | five | six | seven | grade | score | average | criteria | evaluate |
evaluation | give it
""",
    "hedge": """
maybe | perhaps | possibly | might | i guess | dunno | don't know | not sure | kind of | depends
| i suppose | probably | somehow | i don't | unless | wondering | could be | guess
""",
    "sure": """
definitely | absolutely | of course | for sure | exactly | certainly | obviously | clearly |
really | surely | then
""",
    "condition": "if | unless | when | suppose | whether | in case | as long as",
    "negation": """
not | no | never | don't | doesn't | didn't | isn't | aren't | won't | can't | nothing |
wouldn't | couldn't | nobody | none | haven't | hasn't
""",
    "because": "because | 'cause | since | cause | so that | therefore | reason | otherwise",
    "recap": """
so far | we've got | we said | basically | recap | so we have | summarise | summary | just to
confirm | in total | overall | final | finally | conclusion | we have
""",
    "suggest": """
how about | what about | why don't | shall we | what if | i suggest | i propose | i'd say | i
would say | recommendation | recommend | good idea | great idea | should we | do we | are we |
can we | could we | i vote | prefer | propose | suggest | proposal | would be good | would be
nice | would be better | might be better | it's better | best
""",
    "give": """
can you | could you | please | you can | you'll | you will | you have to | you should | you're
going to | would you | you could | you need to | you want to | you guys | you two | will you |
your job | up to you | your task | your department
""",
    "mine": """
i'll | i will | i can | i'm going to | let me | i should | i have to | i need to | i'm gonna | i
shall | i could | i plan to | i intend | we'll send | happy to | i'm planning
""",
    "deliverable": """
minutes | email | e-mail | mail | folder | report | list | note | notes | draft | paper |
version | table | results | information | details | data | figures | costs | web | page | list
of | document | copy | letter | committee | response
""",
    "due": """
next meeting | next week | tomorrow | tonight | monday | tuesday | wednesday | thursday | friday
| this week | later today | by the | before | in the next | next time | thirty minutes | half an
hour | next month | until | end of | soon | later | this afternoon | today | in april | in june
| stage | next
""",
    "later": """
later | next meeting | come back | back to | for now | at some point | another time | postpone |
not now | leave it for
""",
    "vote": """
amendment | motion | carried | in favour | against | agreed to | adopted | defeated | lost |
amendments | vote | object | objection
""",
    "wh": "what | how | why | who | which | where | when",
    "or": "or",
    "good": """
good | great | nice | cool | fine | perfect | brilliant | okay | ok | right | alright |
excellent
""",
    "only": "only | just | all | every | always | both | each",
    "thing": """
thing | things | something | stuff | one | ones | anything | everything | idea | point | issue |
problem
""",
    "present": "is | are | be | has | do | does",
    "role": "designer | expert | manager | marketing | industrial | interface | department | engineer",
}
PHRASES: Final[dict[tuple[str, ...], tuple[str, ...]]] = {}
"""The classes of each phrase, by its words."""
for _name, _phrases in _CLASSES.items():
    for _phrase in _phrases.split("|"):
        _words = tuple(_phrase.split())
        PHRASES[_words] = (*PHRASES.get(_words, ()), _name)
LONGEST: Final = max(map(len, PHRASES))
