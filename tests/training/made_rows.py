"""Plain sentences made by filling in, each with what it does: what people say outright is rare in labelled talk.

Beside each form that settles something stand its like that do not: asked, denied, put off, told of the past.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

_SLOTS: Final = {
    "ko": {
        "m": "출시일|예산|회식 장소|신규 앱|서버 교체|포스터|워크숍 일정|로고|채용 인원|배포 시간|환불 정책|가격|면접 방식|발표 순서|공급 업체|휴가 제도|행사 날짜|결제 방식|창고 이전|회의 시간",
        "v": "11월 20일|5백만 원|다음 주 목요일|두 번째 안|파란색|세 명|제주도|오전 열 시|카카오페이|외주|월 2회|B안|삼천 개|12월 초|김포",
        "d": "금요일까지|내일까지|다음 주 월요일까지|오늘 중으로|이번 주 안에|12월 3일까지|회의 전까지|퇴근 전에",
        "t": "보고서|견적서|회의록|테스트 결과|고객 명단|시안|계약서|설문 결과|공지 메일|예산안",
        "a": "서버를 두 대 더 빌리|인턴을 뽑|월요일에 쉬|프랑스어판을 빼|기존 로고를 쓰|전단을 천 장 찍|계약을 연장하|무료 배송을 없애",
        "n": "민지|준호|서연|하늘|재현|수아",
    },
    "en": {
        "m": "the launch date|the budget|the venue|the new app|the server upgrade|the poster|the workshop|the logo|the headcount|the release time|the refund policy|the price|the interviews|the supplier|the holiday rota|the opening hours",
        "v": "November 20|five thousand dollars|Thursday next week|the second option|blue|three people|the Leeds office|ten in the morning|outsourcing|twice a month|plan B|Stripe|early December",
        "d": "by Friday|by tomorrow|by next Monday|today|this week|by December 3|before the meeting|before I leave",
        "t": "the report|the quote|the minutes|the test results|the customer list|the draft|the contract|the survey|the announcement|the invoice",
        "a": "rent two more servers|hire an intern|close on Mondays|drop the French version|use the old logo|print a thousand flyers|extend the contract|buy paint for the hall",
        "n": "Ben|Priya|Tom|Maria|Owen|Jin",
    },
}  # fmt: skip
_FORMS: Final = {
    "ko": {
        "decision": "{m}은 {v}로 확정합니다.|{m}는 {v}로 결정하겠습니다.|{m}, {v}로 정했습니다.|그럼 {m}은 {v}로 하기로 하겠습니다.|{m}은 {v}로 가기로 합의했습니다.|{v}로 최종 결정합니다.|좋습니다, {m}은 {v}로 진행하겠습니다.|{m}은 {v}로 변경하겠습니다.|결론은 {m}을 {v}로 하는 겁니다.|{m} 건은 {v}로 의결되었습니다.|{m}은 {v}로 하는 걸로 확정할게요.|네, {m}은 {v}로 정리하겠습니다.|{m}은 이번에 빼기로 했습니다.|{m}은 하지 않기로 결정했습니다.|그럼 {v}로 하시죠, 이견 없으면 확정입니다.|{m}은 취소하기로 했습니다.|{v}로 갑시다, 그렇게 정하죠.|{m}은 {v} 안에서 처리하는 걸로 확정합니다.|{a}기로 결정했습니다.|{a}기로 했습니다.|그럼 {a}기로 합시다.|{a}지 않기로 했습니다.|{v}로 결정했습니다.|아시겠지만 {m}은 {v}로 결정했습니다.|앞에서 말한 대로 {v}로 결정했습니다.|네, {v}로 하기로 했습니다.|그럼 결정됐네요, {m}은 {v}입니다.",
        "none": "{a}기로 한 건 작년이에요.|{a}기로 할까요?|{a}기로 했나요?|{m}은 {v}입니다.|지금 {m}은 {v}예요.|{m}이 {v}네요.|{m}은 아직 확정이 아닙니다.|{m}은 {v}로 확정된 거예요?|{m}을 오늘 결정해야 합니다.|{m}을 정하려면 자료가 더 필요해요.|{m}이 {v}였던 건 작년 얘기죠.|{m}은 어떻게 되고 있나요?|{m}이 {v}라서 좀 걱정이에요.|원래 {m}은 {v}였어요.|{m} 결정은 누가 하나요?|{m}을 {v}로 바꾸면 안 돼요?|{m} 그거 끊으면 안 돼요?|{v}로 하면 비용이 더 들어요.|제가 어제 {t} 보냈습니다.|{t}는 벌써 다 됐어요.|{t} 누가 정리하나요?|{n} 씨가 지난주에 {t} 올렸더라고요.|{d} 끝나야 한다고 들었어요.|{m}에 대해 이야기해 보겠습니다.|{m}은 중요한 문제입니다.|{n} 씨는 {m}이 {v}라고 하던데요.",
        "proposal": "{m}은 {v}로 하면 어떨까요?|{m}을 {v}로 바꾸는 게 좋을 것 같아요.|{v}로 가는 건 어때요?|{m}은 {v}로 할까요?|저는 {v}가 낫다고 봐요.|{m}을 {v}로 하는 방안을 제안합니다.",
        "task": "제가 {d} {t} 정리해서 올리겠습니다.|{n} 씨가 {d} {t} 보내 주세요.|{t}는 제가 {d} 작성할게요.|{n} 님, {t} {d} 확인 부탁드려요.|{t} 준비는 {n} 씨가 맡아 주세요.|제가 {n} 씨한테 {t} 받아서 공유하겠습니다.|{n} 씨는 {d} {t} 검토해 주시기 바랍니다.|제가 {t} 챙길게요.|{t}는 {n} 씨가 {d} 하기로 했어요.",
        "open": "{m}은 다음 회의에서 다시 논의하죠.|{m}은 아직 안 정했어요, 다음에 정하죠.|{m}은 {v}로 할지 좀 더 생각해 봅시다.|{m} 건은 보류하겠습니다.|{m}은 자료 보고 나중에 결정하는 걸로 해요.|{m}은 미정입니다.",
        "courtesy": "다음 안건으로 넘어가겠습니다.|그럼 다음 주제로 넘어가죠.|{m} 이야기로 넘어가 볼까요?|자, {m} 건부터 시작하겠습니다.|다들 수고하셨습니다.|오늘 회의는 여기까지 하겠습니다.|{n} 씨 들어오셨나요?|마지막 안건은 {m}입니다.|회의 시작하겠습니다.|제 화면 보이시나요?|말씀 감사합니다.",
    },
    "en": {
        "decision": "Agreed, {m} is {v}.|We've decided on {v} for {m}.|OK, let's go with {v} for {m}.|So {m} is {v}, that's final.|It's decided: {v}.|We'll go with {v} then.|Right, {v} it is.|We agreed to drop {m}.|{m} will be {v}, everyone's agreed.|Let's settle on {v} for {m}.|The decision is to use {v} for {m}.|We're not doing {m} this year, agreed.|We settled on {v}.|Agreed, we go for {v}.|Done, {m} moves to {v}.|All in favour, so {m} is {v}.|We are changing {m} to {v}.|We decided to {a}.|We agreed to {a}.|So we {a}, agreed.|We'll {a}, that's decided.|We decided not to {a}.|Okay, so it is decided, {m} stays at {v}.|Forget the last slide, we decided to {a}.|As you will remember, we decided on {v}.|We decided to use {v}.|So it is decided then, we {a}.",
        "none": "Did we agree to {a}?|We might {a}.|They decided to {a} last year.|{m} is {v}.|{m} is {v} at the moment.|I see that {m} says {v}.|Let us pick {m} today.|We need to decide on {m}.|We haven't decided on {m} yet.|Have we settled {m}?|Was {m} {v}?|{m} used to be {v}.|How is {m} coming along?|I'm worried about {m}.|Who decides on {m}?|If we go with {v} it costs more.|{m} is important.|I sent {t} yesterday.|{t} is already done.|Who is writing {t}?|{n} sent {t} last week.|{n} said {m} was {v}.|Couldn't we just drop {m}?|It has to be finished {d}, I heard.|The customer wants {v}.|Last year we had {v}.",
        "proposal": "What about {v} for {m}?|I'd suggest {v} for {m}.|Shall we go with {v}?|Maybe {m} should be {v}.|I propose we move {m} to {v}.|Could we do {v} instead?",
        "task": "I'll send {t} {d}.|{n}, can you write {t} {d}?|{n} will finish {t} {d}.|I'll take care of {t}.|Please update {t} {d}, {n}.|{n}, could you check {t}?|I will get {t} from {n} {d}.|{t} is on me, {d}.|{n} takes {t}.|Let me draft {t} {d}.",
        "open": "Let's come back to {m} next time.|{m} is still open.|We'll decide on {m} later.|Let's leave {m} until we have the numbers.|We still don't know about {m}.|Let's park {m} for now.",
        "courtesy": "Let's move on to the next item.|Next up is {m}.|Let's talk about {m}.|Can everyone hear me?|Thanks everyone, good meeting.|Shall we get started?|Good morning all.|The last item is {m}.|That's all for today.|Let me share my screen.|Moving on.",
    },
}  # fmt: skip


def made_rows(count: int, seed: int = 20261124) -> Iterator[tuple[str, str]]:
    """So many texts, each with its act; every form comes about equally often."""
    dice = Random(seed)
    forms = [
        (language, act, form)
        for language, acts in _FORMS.items()
        for act, told in acts.items()
        for form in told.split("|")
    ]
    for number in range(count):
        language, act, form = forms[number % len(forms)]
        filled = form.format(
            **{slot: dice.choice(words.split("|")) for slot, words in _SLOTS[language].items()}
        )
        yield filled[0].upper() + filled[1:], act


_GIVEN: Final = {
    "ko": "{n} 씨, {d} {t} 하나 만들어 줘요.|{n} 씨가 {t} 맡기로 했어요.|{t}는 {n} 님께 부탁드릴게요.|{n} 담당: {d} {t} 작성.|{t}는 {n} 씨 몫이에요, {d}.|{n} 씨가 {t} 그려 주기로 했어요.|제가 {n} 씨한테 {t} 보낼게요.|제가 {n} 씨랑 {t} 챙길게요.|다들 {d} {t} 내 주세요.|모두 {t} {d} 작성해 주세요.|각자 {d} {t} 올려 주세요.",
    "en": "Action for {n}: draft {t}.|Action item for {n}: {t}, {d}.|For {n}: send {t} {d}.|{n} to send {t} {d}.|{n} is doing {t}, he promised.|{n} promised {t} {d}.|{t} is with {n}.|I'll send {n} {t} {d}.|I'll do {t} with {n}.|Everyone, please send {t} {d}.|Everybody check {t} {d}, please.|All of you fill in {t} {d}.",
}  # fmt: skip
"""More ways to give a task out: to somebody, to oneself beside somebody, to all."""
_TO_ALL: Final = ("다들", "모두", "각자", "Everyone", "Everybody", "All")


def made_tasks(count: int, seed: int = 20261124) -> Iterator[tuple[str, str, tuple[str, ...], str | None]]:
    """So many tasks: the sentence, who says it, who is there, whose task it is; None where it is all's."""
    dice = Random(seed)
    for number in range(count):
        language = ("ko", "en")[number % 2]
        told = [*_FORMS[language]["task"].split("|"), *_GIVEN[language].split("|")]
        form = dice.choice([form for form in told if "{n}" in form or _own(form) or form.startswith(_TO_ALL)])
        speaker, other, *rest = dice.sample(_SLOTS[language]["n"].split("|"), 4)
        slots = {slot: dice.choice(words.split("|")) for slot, words in _SLOTS[language].items()}
        yield (
            form.format(**{**slots, "n": other}),
            speaker,
            tuple(sorted((speaker, other, *rest))),
            speaker if _own(form) else None if form.startswith(_TO_ALL) else other,
        )


def _own(form: str) -> bool:
    """Whether whoever says it takes it on."""
    return any(
        word in ("제가", "{t}는 제가", "I'll", "I", "me", "Let") for word in form.replace(",", "").split()
    )
