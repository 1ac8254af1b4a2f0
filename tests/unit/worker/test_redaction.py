"""What is masked, what only looks alike, and where."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from context.ports import ChatMessage
from worker.redaction import RedactingModel, redacted

MASKED = [
    ("카드 번호는 4111 1111 1111 1111 입니다.", "카드 번호는 [카드번호] 입니다."),
    ("4111-1111-1111-1111로 결제해 주세요.", "[카드번호]로 결제해 주세요."),
    ("법인 카드 5500005555555559 쓰세요.", "법인 카드 [카드번호] 쓰세요."),
    ("My card is 4012888888881881.", "My card is [card number]."),
    ("Charge 378282246310005, please.", "Charge [card number], please."),
    ("Use 6011 1111 1111 1117 then.", "Use [card number] then."),
    ("주민번호 850101-1234567 확인했어요.", "주민번호 [주민등록번호] 확인했어요."),
    ("주민등록번호는 971013-9019902입니다", "주민등록번호는 971013-9019902입니다"),
    ("제 번호 900215-2345678이요.", "제 번호 [주민등록번호]이요."),
    ("Resident number 010305-3456789.", "Resident number [resident number]."),
    ("010-1234-5678로 전화 주세요.", "[전화번호]로 전화 주세요."),
    ("연락처는 01012345678입니다.", "연락처는 [전화번호]입니다."),
    ("사무실은 02-555-0100이에요.", "사무실은 [전화번호]이에요."),
    ("팩스는 031 123 4567 입니다.", "팩스는 [전화번호] 입니다."),
    ("대표 번호 1588-1234로 하세요.", "대표 번호 [전화번호]로 하세요."),
    ("인터넷 전화 070-1234-5678.", "인터넷 전화 [전화번호]."),
    ("+82 10-9876-5432로 문자 주세요.", "[전화번호]로 문자 주세요."),
    ("Call me at +1 212 555 0134.", "Call me at [phone number]."),
    ("My mobile is +44 7911 123456.", "My mobile is [phone number]."),
    ("Ring (212) 555-0134 tomorrow.", "Ring [phone number] tomorrow."),
    ("공일공 일이삼사 오육칠팔로 전화 주세요.", "[전화번호]로 전화 주세요."),
    ("제 번호는 공일공에 구팔칠육에 오사삼이예요.", "제 번호는 [전화번호]예요."),
    ("메일은 minji.kim@example.co.kr 로 주세요.", "메일은 [메일 주소] 로 주세요."),
    ("ben+work@mail.example.com으로 보내요.", "[메일 주소]으로 보내요."),
    ("Write to ben_carter@example.org.", "Write to [mail address]."),
    ("Mail a@b.io or c@d.example.com.", "Mail [mail address] or [mail address]."),
    ("minji@example.com, 010-1234-5678", "[mail address], [phone number]"),
]
KEPT = [
    "출시일은 2026-11-25로 결정했습니다.", "2026년 11월 25일 오후 3시에 만나요.", "예산은 120,000,000원입니다.",
    "매출은 1234567890원이었어요.", "주문 번호 20261125-001입니다.", "버전 5.2.1을 배포합니다.", "3층 302호로 오세요.",
    "10시 30분부터 11시까지요.", "작년보다 32.5퍼센트 늘었어요.", "카드 4111 1111 1111 1112는 틀린 번호예요.",
    "850132-1234567은 날짜가 아니에요.", "IP는 192.168.0.100입니다.", "이슈 1024번을 닫았어요.", "100에서 200 사이로 합시다.",
    "이 일은 이월로 넘깁시다.", "일이 많아서 이삼일 걸려요.", "오육 명이 오고 칠팔 명이 가요.", "서울 06236 우편번호예요.",
    "좌석은 12-34입니다.", "공이 일곱 개 있어요.", "We ship on 2026-11-25.", "The budget is 2,400,000 dollars.",
    "Ticket 48213 is closed.", "Version 10.15.7 is out.", "Room 302 at 10:30.", "That is 99.95 percent.",
    "Order 2026-0001-7788 arrived.", "It took 123456 milliseconds.", "Between 2019 and 2026.", "Write me @ben later.",
    "The hash is 9f86d081884c7d65.", "Seats 12 to 34.", "Port 8080 or 7880.", "Zip 10001, please.", "No numbers here.",
    "숫자가 없는 문장입니다.",
]  # fmt: skip


@pytest.mark.parametrize(("said", "shown"), MASKED)
def test_what_is_nobody_elses_business_is_masked(said: str, shown: str) -> None:
    assert redacted(said) == shown


@pytest.mark.parametrize("said", KEPT)
def test_what_only_looks_alike_stays(said: str) -> None:
    assert redacted(said) == said


async def test_a_model_is_told_the_marks() -> None:
    told: list[Sequence[ChatMessage]] = []

    class Model:
        name = "m"

        async def stream(
            self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
        ) -> AsyncIterator[str]:
            told.append(messages)
            yield "ok"

        async def structured(
            self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
        ) -> str:
            told.append(messages)
            return "{}"

    model = RedactingModel(Model())
    asked = [ChatMessage(role="user", content="010-1234-5678이 누구 번호죠?")]
    assert [piece async for piece in model.stream(asked, max_tokens=5)] == ["ok"]
    assert await model.structured(asked, schema={}, name="x", max_tokens=5) == "{}"
    assert {message.content for messages in told for message in messages} == {"[전화번호]이 누구 번호죠?"}
