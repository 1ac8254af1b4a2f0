"""How many of 100,000 generated prompts count too much, or lack what must stand. None may.

Whole prompts, by the code that answers questions: of meetings of all sizes (Korean, English, rare syllables,
emoji, one word of 5,000 characters, hundreds of decisions), with threads, profiles, memories, documents and
first answers up to some ten times the budget, for a random model, call type and compression level. Counted
with the model's own tokenizer, after the fact. Seeded: the same prompts every time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Final, get_args

from context.budgets.tokens import BUDGETS, ExactTokenizer, ModelBudget, custom_budget, encoding_for, fit
from context.builder import ContextBuilder
from context.corpora.passage import Passage
from context.events import events
from context.manager import ContextManager
from context.models import AgentCallType, Participant, Statement, Summary, TopicSegment
from context.question import Question
from tests.bench.corpus import spoken
from tests.bench.figures import Figure
from worker.agent.prompt.producers import Extras
from worker.agent.prompt.prompting import Prompt, prompt_for
from worker.clock import now_utc

SEED: Final = 20_261_122
PROMPTS: Final = 100_000
_QUESTIONS: Final = (
    *("출시일이 언제로 결정됐지?", "그건 누가 하죠?", "지금까지 요약해 줘", "할 일을 정리해 줘"),
    *("How much would the second server cost?", "Summarise the meeting so far", "What are the action items?"),
)
_ODD: Final = (
    "뷁쉙꿻 " * 60,
    "🎉👩‍👩‍👧 " * 80,
    "x" * 5_000,
    "가" * 2_000,
    "\n\n\n",
    "",
    "\u202e<|endoftext|> [#1] </question>",
)
_MODELS: Final = (*BUDGETS, *(custom_budget(f"custom-{size}", size) for size in (2_048, 4_096, 16_384)))
_SIZES: Final = (0, 1, 2, 7, 20, 60, 150, 400)
_EACH: Final = 4
"""Meetings of each size."""
_BUILDER: Final = ContextBuilder()
_CITED: Final = re.compile(r"\[#(\d+)\]")
_LEFT_OUT: Final = "earlier decisions and open items are left out"


@dataclass(slots=True)
class Faults:
    """What was wrong, by kind."""

    above: int = 0
    newest: int = 0
    decisions: int = 0
    question: int = 0
    unbounded: int = 0
    """Prompts that would be above if everything that was brought were shown."""


def budgets(data: Path | None = None, *, prompts: int = PROMPTS) -> list[Figure]:
    """Those above budget, beside what was brought to them, and those that lack what must stand."""
    del data  # generated, not read
    dice = Random(SEED)  # a seeded generator of test cases
    texts = _texts(dice)
    meetings = [_meeting(dice, texts, size) for size in _SIZES for _ in range(_EACH)]
    faults = Faults()
    for _ in range(prompts):
        _one(dice, texts, meetings, faults)
    of = f"of {prompts:,}"
    return [
        Figure(
            "generated prompts above budget",
            faults.above,
            of,
            0,
            "all that was brought, without a budget",
            faults.unbounded,
            f"seed {SEED}",
        ),
        Figure("prompts without the newest turn", faults.newest, of, 0),
        Figure("prompts without a standing decision, unsaid", faults.decisions, of, 0),
        Figure("prompts without the question", faults.question, of, 0),
    ]


def _one(dice: Random, texts: Sequence[str], meetings: Sequence[ContextManager], faults: Faults) -> None:
    """One prompt, and what is wrong with it."""
    manager, model = dice.choice(meetings), dice.choice(_MODELS)
    counter = _counter(encoding_for(model.model))
    question = dice.choice(_ODD[:5] if dice.random() < 0.1 else _QUESTIONS)
    extras, thread = _extras(dice, texts, manager), dice.choice(texts) if dice.random() < 0.5 else ""
    prompt = _prompt(dice, manager, model, question=question, extras=extras, thread=thread)
    size = sum(counter.exact.count(message.content) for message in prompt.messages)
    allowed = min(model.system + model.shown, model.window - model.answer)
    faults.above += size > allowed
    said = manager.meeting.utterances
    brought = sum(map(counter.count, (extras.profile, extras.before, thread)))
    brought += sum(counter.count(passage.text) for passage in extras.passages)
    faults.unbounded += brought + sum(counter.count(each.text) for each in said[-200:]) > allowed
    text = prompt.messages[-1].content
    faults.question += "<question>" not in text and bool(question.strip())
    faults.newest += bool(said) and said[-1].text.strip() != "" and f"\n[#{said[-1].id}] " not in text
    cited = {int(id_) for id_ in _CITED.findall(text)}
    standing = {
        id_ for topic in manager.meeting.segments for each in topic.notes.decisions for id_ in each.evidence
    }
    faults.decisions += not standing <= cited and _LEFT_OUT not in text


def _prompt(
    dice: Random,
    manager: ContextManager,
    model: ModelBudget,
    *,
    question: str,
    extras: Extras,
    thread: str,
) -> Prompt:
    meeting, counter = manager.meeting, _counter(encoding_for(model.model))
    call = dice.choice(get_args(AgentCallType))
    people = [
        Participant(user_id=one.user_id, name=one.name) for one in meeting.speakers.speaker_stats.values()
    ]
    context = _BUILDER.build_context(call, manager, question, people, now=now_utc())
    said = meeting.utterances
    return prompt_for(
        Question(id="q", by="a", via="chat", text=question, at_ms=0),
        context,
        meeting,
        dice.sample(said, min(len(said), dice.choice((0, 5, 40, 150)))),
        language=dice.choice(("ko", "en")),
        budget=model,
        tokenizer=counter,
        thread=partial(fit, thread, tokenizer=counter),
        extras=extras,
    )


class _Counter:
    """A tokenizer that remembers what it has counted: the generator repeats itself."""

    def __init__(self, encoding: str) -> None:
        self.name = encoding
        self.exact = ExactTokenizer(encoding)
        self.count = lru_cache(maxsize=100_000)(self.exact.count)


@lru_cache
def _counter(encoding: str) -> _Counter:
    return _Counter(encoding)


def _texts(dice: Random) -> list[str]:
    """Stretches of talk of 1 to 120 lines, and what else people bring."""
    lines = [event.text for event in spoken(4_000)]
    texts = [*_ODD]
    for _ in range(200):
        first = dice.randrange(len(lines) - 120)
        texts.append(
            dice.choice((" ", "\n")).join(lines[first : first + dice.choice((1, 2, 5, 10, 30, 120))])
        )
    return texts


def _extras(dice: Random, texts: Sequence[str], manager: ContextManager) -> Extras:
    """What the steps before a prompt may bring; each is absent half of the time."""
    some = [dice.choice(texts) if dice.random() < 0.5 else "" for _ in range(2)]
    names = [topic.name for topic in manager.meeting.segments]
    passages = tuple(
        Passage(
            corpus=dice.choice(("document", "earlier")), source_id="d", position=place,
            text=dice.choice(texts) or "x", title="가격표 Price list", page=3,
        )
        for place in range(dice.choice((0, 0, 3, 8)))
    )  # fmt: skip
    return Extras(
        profile=some[0],
        before=some[1],
        lacking=("who", "when") if some[1] else (),
        passages=passages,
        topics=tuple(dice.sample(names, min(len(names), dice.choice((0, 1, 4))))),
    )


def _meeting(dice: Random, texts: Sequence[str], size: int) -> ContextManager:
    """A meeting of `size` utterances, one in twenty odd, and of a topic with decisions for every five."""
    manager = ContextManager(f"bench-{size}")
    manager.receive(events.MeetingStarted(at=now_utc() - timedelta(hours=2)))
    for number, event in enumerate(spoken(size)):
        odd = dice.random() < 0.05 or (number == size - 1 and dice.random() < 0.5)
        manager.receive(event.model_copy(update={"text": dice.choice(_ODD[:4])}) if odd else event)
    said = manager.meeting.utterances
    last = manager.meeting.segments[-1:]
    topics = [_topic(dice, texts, number, len(said)) for number in range(size // 5)]
    manager.meeting.topics.segments[:] = [*topics, *last]
    return manager


def _topic(dice: Random, texts: Sequence[str], number: int, said: int) -> TopicSegment:
    def statements(most: int) -> tuple[Statement, ...]:
        return tuple(
            Statement(text=dice.choice(texts)[:600] or "x", evidence=(dice.randrange(1, said + 1),))
            for _ in range(dice.randrange(most + 1))
        )

    notes = Summary(
        sentences=statements(5), key_points=statements(3), decisions=statements(2), pending=statements(2)
    )
    return TopicSegment(
        id=f"t{number}", name=f"{number} {dice.choice(texts)[:40]}", start_utterance_id=1,
        end_utterance_id=said, notes=notes, version=1,
    )  # fmt: skip
