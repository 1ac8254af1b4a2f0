"""Old summaries of a thread are merged where the window has no room for all: as much stays as there is room for."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

from context.events.events import MeetingStarted, ThreadTuned
from context.fold.meeting import Meeting
from context.thread.thread import as_fields, as_text
from context.thread.writing import filled, generate_summary
from tests.fakes.llm import ScriptedModel
from tests.unit.context.meetings import START, answered, asked
from tests.unit.context.thread.threads import jobs, ready

TALK = {
    "ko": (
        "예산 {n}번은 얼마예요?",
        "예산 {n}번은 {a}만 원으로 정했습니다. 담당은 김민지이고 {b}일까지입니다.",
    ),
    "en": ("How much is budget {n}?", "Budget {n} is set at {a} euros. Dana does it by the {b}th."),
}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("share_tokens", "least"), [(400, 0.85), (750, 0.9)])
@pytest.mark.parametrize("terse", [False, True])
async def test_a_merge_fills_its_share(language: str, share_tokens: int, least: float, terse: bool) -> None:
    """Also where a model writes one short sentence of all that it was given: 2,105 characters became 152.

    Sentences stay whole, so that a share of a hundred characters is filled less well.
    """
    meeting = Meeting("m")
    meeting.receive(MeetingStarted(at=START))
    meeting.receive(ThreadTuned(share_tokens=share_tokens))
    question, answer = TALK[language]
    fills: list[float] = []
    for n in range(1, 61):
        put = question.format(n=n)
        meeting.receive(asked(n, put))
        new = jobs(meeting.receive(answered(n, answer.format(n=n, a=100 + n, b=n % 28 + 1), question=put)))
        while new:
            (job,) = new
            merge = job.purpose == "fold"
            written = json.dumps({"summary": job.previous.split("] ", 1)[-1][:60]})
            text = await generate_summary(
                job.messages,
                job.target_chars,
                previous=job.previous,
                merge=merge,
                most=job.original_chars,
                model=ScriptedModel([written]) if merge and terse else None,
                language=language,
            )
            if merge:
                fills.append(len(text) / job.target_chars)
            new = jobs(meeting.receive(ready(job, text)))
    assert len(fills) > 2
    assert fmean(fills) >= least
    thread = meeting.thread
    tokens = sum(meeting.tokenizer.count(entry.summary) + 8 for entry in thread.summaries.entries)
    assert tokens <= thread.policy.summary_tokens
    (oldest, *_) = as_fields(thread)["summary_history"]
    assert oldest["merged"] is True
    assert oldest["true_rate"] < oldest["compression_rate"]
    assert "merged, as the model's window has no room for more" in as_text(thread)
    assert f"A summary is due after {share_tokens} tokens" in as_text(thread)


@pytest.mark.parametrize(
    ("text", "previous", "lost"),
    [
        ("예산 이야기를 했습니다.", "모두 모였습니다. 예산은 오백만 원입니다. 날씨가 좋았습니다.", "예산은 오백만 원입니다."),
        ("They spoke of money.", "All were there. The budget is 5 million. The sun shone.", "The budget is 5 million."),
    ],
)  # fmt: skip
def test_figures_that_a_merge_has_left_out_come_first(text: str, previous: str, lost: str) -> None:
    assert filled(text, previous, len(text) + len(lost) + 1) == f"{text} {lost}"
    assert filled(text, previous, len(text) + 3) == text
    assert filled(lost, lost, 1_000) == lost, "nothing twice"
