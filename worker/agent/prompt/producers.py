"""The producers of an answer's prompt: each brings one block, in the tokens that the allocation gives it.

A `context.budgets.prompt.Producer` says how many tokens it wants, shows whole lines or cuts where it may, and
says which ids stand in its block. What people said is made safe here (`context.prompts.quoting`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final

from context.budgets.output import TARGET_TOKENS, CompressionLevel
from context.budgets.prompt import Told
from context.budgets.tokens import fit
from context.corpora.passage import Corpus, Passage
from context.models import Frozen, Utterance
from context.ports import Tokenizer
from context.prompts.answer_prompts import BETTER_PROMPTS, LACKING
from context.prompts.quoting import Foreign, block, quoted
from context.thread.memory import HierarchicalMemory

_JOINT_TOKENS: Final = 2
"""Tokens of what joins a block to the next one."""
_SHORT_TOKENS: Final = 80
"""Tokens of a line that is shown whole before others, even where it leaves them less than half."""
_MIN_ROOM_TOKENS: Final = 24
"""Below this a block is not worth its tags."""
_MAX_WANTED_TOKENS: Final = TARGET_TOKENS[CompressionLevel.FULL]


class Extras(Frozen, arbitrary_types_allowed=True):
    """What the graph's steps want in a prompt beside the meeting's own briefing."""

    query: str = ""
    """What the briefing is made for; "": the question."""
    passages: tuple[Passage, ...] = ()
    """What the search found, in this meeting and elsewhere, best first."""
    topics: tuple[str, ...] = ()
    """Names of the topics that planning asked for."""
    profile: str = ""
    """What is known of the asker."""
    tiers: HierarchicalMemory | None = None
    """The agent's earlier exchanges in tiers, shown in place of the thread's turns and summaries."""
    before: str = ""
    """The answer that was given already, where this prompt is for its correction."""
    lacking: tuple[str, ...] = ()
    """What that answer lacked."""
    history: bool = True
    """Whether the thread is shown."""
    evidence: bool = True
    """Whether utterances beyond the live window are shown."""


NO_EXTRAS = Extras()


class PromptBlock:
    """A producer's block between tags; what it holds is up to the subclass."""

    def __init__(self, name: str, tag: str, tokenizer: Tokenizer) -> None:
        """`name`: the producer's, as in `BudgetConfig.producers`."""
        self.name, self._tag = name, tag
        self._count = cache(tokenizer.count)
        self._tokenizer = tokenizer
        # Around nothing the two line breaks are one token: a text between them parts them.
        self._frame = self._count(block(tag, "x")) + _JOINT_TOKENS

    @property
    def least(self) -> int:
        """See `Producer.least`: nothing must stand."""
        return 0

    def _told(self, text: str, shows: frozenset[int] = frozenset()) -> Told:
        if not text:
            return Told()
        whole = block(self._tag, text)
        return Told(text=whole, tokens=self._tokenizer.count(whole) + _JOINT_TOKENS, shows=shows)


class TextBlock(PromptBlock):
    """A text that may be cut at its end: a profile, who is there."""

    def __init__(self, name: str, tag: str, text: str, tokenizer: Tokenizer) -> None:
        super().__init__(name, tag, tokenizer)
        self._text = text

    def wanted(self, _level: CompressionLevel, _shown: AbstractSet[int]) -> int:
        """See `Producer.wanted`: room for all of the text."""
        return self._count(self._text) + self._frame if self._text else 0

    def told(self, room: int, _level: CompressionLevel, _shown: AbstractSet[int]) -> Told:
        """See `Producer.told`: as much of the text's beginning as fits."""
        left = room - self._frame
        enough = min(_MIN_ROOM_TOKENS // 2, self._count(self._text))  # a short one stands whole
        return self._told(fit(self._text, left, self._tokenizer) if left >= enough else "")


class ThreadBlock(PromptBlock):
    """The agent's earlier exchanges, in turns and summaries or in tiers, which shorten themselves."""

    def __init__(self, text_within: Callable[[int], str], most: int, tokenizer: Tokenizer) -> None:
        """`text_within` gives the thread in so many tokens. `most`: its share of the model's window, by which
        its summaries are made, too (`ThreadPolicy`).
        """
        super().__init__("thread", "thread", tokenizer)
        self._within, self._most = cache(text_within), most
        self.text = ""
        """The thread as the last call of `told` showed it."""

    def wanted(self, _level: CompressionLevel, _shown: AbstractSet[int]) -> int:
        """See `Producer.wanted`: room for the thread, up to its share of the window."""
        text = self._within(self._most)
        return self._count(text) + self._frame if text else 0

    def told(self, room: int, _level: CompressionLevel, _shown: AbstractSet[int]) -> Told:
        """See `Producer.told`: all of it; else the newest turn, and of the rest what fits."""
        left = min(self._most, room - self._frame)
        # A short one is taken whole: within its own size `context.thread` would leave nothing of it.
        whole = self._within(self._most)
        self.text = whole if self._count(whole) <= left else self._within(left)
        return self._told(self.text)


class SourceLines(PromptBlock):
    """Passages of documents or of earlier meetings, best first, each whole or not at all."""

    def __init__(self, name: str, foreign: Foreign, corpus: Corpus, tokenizer: Tokenizer) -> None:
        super().__init__(name, "sources", tokenizer)
        self._lines = foreign.lines(corpus)

    def wanted(self, _level: CompressionLevel, _shown: AbstractSet[int]) -> int:
        """See `Producer.wanted`: room for all of them."""
        return sum(self._count(line) + 1 for line in self._lines.values()) + self._frame if self._lines else 0

    def told(self, room: int, _level: CompressionLevel, _shown: AbstractSet[int]) -> Told:
        """See `Producer.told`: those that fit."""
        left = room - self._frame
        lines_by_id: dict[int, str] = {}
        for id_, line in self._lines.items():
            tokens = self._count(line) + 1
            if tokens <= left:
                left -= tokens
                lines_by_id[id_] = line
        return self._told("\n".join(lines_by_id.values()), frozenset(lines_by_id))


class UtteranceLines(PromptBlock):
    """Utterances of the meeting, shown in order of time: the live window, or what was found."""

    def __init__(
        self,
        name: str,
        tag: str,
        said: Iterable[Utterance],
        line: Callable[[Utterance], str],
        tokenizer: Tokenizer,
        *,
        stands: bool = False,
        line_behind: Callable[[Utterance], str] | None = None,
    ) -> None:
        """`said`: the utterances, most wanted first; `stands`: the first one has to be shown.

        `line` tells one; `line_behind` one that stands right behind its neighbour, by default as `line` does.
        """
        super().__init__(name, tag, tokenizer)
        self._said = {utterance.id: utterance for utterance in said}
        self._forms = (line, line_behind or line)
        self._of = cache(self._measured)
        self._stands = stands

    @property
    def least(self) -> int:
        """See `Producer.least`: the first line, where it has to be shown."""
        first = next(iter(self._said), None)
        return self._of(first)[1] + self._frame if self._stands and first is not None else 0

    def wanted(self, _level: CompressionLevel, shown: AbstractSet[int]) -> int:
        """See `Producer.wanted`: room for all that are not `shown` yet, as far as any producer may go."""
        wanted = 0
        for id_ in self._said:
            if id_ not in shown:
                wanted += self._of(id_)[1]
            if wanted > _MAX_WANTED_TOKENS:
                break
        return wanted + self._frame if wanted else 0

    def told(self, room: int, level: CompressionLevel, shown: AbstractSet[int]) -> Told:
        """See `Producer.told`: all; else the first one, cut to half of the room, and others that fit."""
        text_by_id: dict[int, str] = {}
        left = whole = room - self._frame
        crowded = self.wanted(level, shown) > room
        for id_ in self._said:
            if id_ in shown:
                continue
            line, tokens = "", self._cost(id_, text_by_id)
            first = max(left // 2, min(left, _SHORT_TOKENS))
            if crowded and not text_by_id and tokens > first:
                line = self._cut(self._said[id_], first)
                tokens = self._count(line) + 1 if line else left + 1
            if tokens > left:
                if left < whole // 10:
                    break
                continue
            text_by_id[id_] = line
            left -= tokens
        lines = [
            text_by_id[id_] or self._of(id_, is_behind=id_ - 1 in text_by_id)[0] for id_ in sorted(text_by_id)
        ]
        shown_lines = self._told("\n".join(lines), frozenset(text_by_id))
        return shown_lines.model_copy(update={"said": shown_lines.shows})

    def _measured(self, id_: int, is_behind: bool = False) -> tuple[str, int]:
        """A line and what it counts, its end included."""
        line = self._forms[is_behind](self._said[id_])
        return line, self._tokenizer.count(line) + 1

    def _cost(self, id_: int, beside: Mapping[int, str]) -> int:
        """Tokens that a line adds to those beside it, of which one that was cut stays as it is."""
        cost = self._of(id_, is_behind=id_ - 1 in beside)[1]
        if beside.get(id_ + 1) == "":
            cost += self._of(id_ + 1, is_behind=True)[1] - self._of(id_ + 1)[1]
        return cost

    def _cut(self, utterance: Utterance, room: int) -> str:
        """Its beginning, so that its line has at most so many tokens; "" where nothing of it fits."""
        around = self._count(self._forms[0](utterance.model_copy(update={"text": ""}))) + 2
        text = fit(utterance.text, room - around, self._tokenizer)
        return self._forms[0](utterance.model_copy(update={"text": text})) if text else ""


class FirstAnswer(PromptBlock):
    """The answer that was given already and what it lacked, in the prompt for its correction."""

    def __init__(self, before: str, lacking: Sequence[str], tokenizer: Tokenizer, language: str) -> None:
        """`language`: of the note, `ko` or `en`."""
        super().__init__("first_answer", "first_answer", tokenizer)
        tongue = "ko" if language == "ko" else "en"
        self._more, self._better = LACKING[tongue], BETTER_PROMPTS[tongue]
        self._before = quoted(before)
        self._lacking = quoted("; ".join(lacking))

    @property
    def least(self) -> int:
        """See `Producer.least`: all of it, since a correction is about nothing else."""
        if not self._before:
            return 0
        return sum(self._count(text) for text in (self._more, self._lacking, self._before)) + 2 * self._frame

    def wanted(self, _level: CompressionLevel, _shown: AbstractSet[int]) -> int:
        """See `Producer.wanted`: room for all of it."""
        return self.least

    def told(self, room: int, _level: CompressionLevel, _shown: AbstractSet[int]) -> Told:
        """See `Producer.told`: the note, what was lacking, and of the answer what fits."""
        if not self._before:
            return Told()
        lacking = fit(self._lacking, room // 3, self._tokenizer)
        note = f"{self._more}\n{block('lacking', lacking)}" if lacking else self._better
        left = room - self._frame - self._tokenizer.count(note) - 2
        first_answer = fit(self._before, left, self._tokenizer)
        if not first_answer:
            return Told()
        text = f"{note}\n{block('first_answer', first_answer)}"
        return Told(text=text, tokens=self._tokenizer.count(text) + _JOINT_TOKENS)
