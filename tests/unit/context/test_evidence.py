"""A good model's own words stand; what it gets wrong does not, kind by kind, in Korean and English."""

from __future__ import annotations

import pytest

from context.checking import Fault, fault
from tests.unit.cases import cases

KO = {
    1: "문다혜: 제습기는 사는 것보다 빌리는 게 낫지 않아요? 한 달에 3만 원이래요.",
    2: "표재훈: 세 달만 쓸 거면 그게 싸네요.",
    3: "문다혜: 그럼 사지 말고 두 대 빌립시다.",
    4: "염수빈: 정문 옆은 전기가 없대요. 구청에 얘기해 볼게요.",
    5: "문다혜: 위치는 월요일에 다시 보고 정하죠.",
    6: "표재훈: 3호실 공사는 누가 맡죠?",
    7: "염수빈: 제가 할게요. 1월 둘째 주 일곱 시까지요.",
    8: "문다혜: 예산이 구백밖에 안 남았어요. 다른 의견 없으시면 이천칠백만 원 업체로 하겠습니다.",
    9: "표재훈: 사장님이 두 명은 안 된대요. 한 명만 된대요.",
    10: "염수빈: 저는 반대합니다. 교환은 택배 말고 우리 차로 갖다 줍시다.",
    12: "표재훈: 재고가 나흘 치 있어서 괜찮습니다.",
    11: "문다혜: 야간을 목요일로 옮기자는 의견이 있었는데요.",
}
EN = {
    1: "Sunita: Harlow first, the dismissal.",
    2: "Greg: They're offering twelve thousand.",
    3: "Sunita: Then let's go back with twenty-five.",
    4: "Bea: We could lend them ours? What if we merge Thursday with the Friday crew?",
    5: "Greg: Who tells finance?",
    6: "Bea: I will, tomorrow. And we close at half past three.",
    7: "Sunita: Drop the twentieth, do two Sundays, the second in June.",
    8: "Bea: Only small animals, so no horses.",
    9: "Greg: The letter says the ninth, but we've got until the 16th.",
    10: "Bea: We moved three of the seven services. No customer noticed anything.",
    11: "Sunita: Billing, search, notifications and the admin panel. The rent is seven-ten.",
    12: "Greg: I don't want to decide that without Karin. Let's take it up next week.",
    13: "Bea: I'm on leave from the tenth. Mr Petrov's scared of losing his job.",
}
PEOPLE = ("문다혜", "표재훈", "염수빈", "Sunita", "Greg", "Bea")


@cases
def test_a_good_models_korean_stands(text: str, cites: tuple[int, ...]) -> None:
    assert fault(text, cites, KO, PEOPLE) is None


@cases
def test_a_good_models_english_stands(text: str, cites: tuple[int, ...]) -> None:
    assert fault(text, cites, EN, PEOPLE) is None


@cases
def test_korean_slips_of_a_good_model(text: str, cites: tuple[int, ...], wrong: Fault) -> None:
    assert fault(text, cites, KO, PEOPLE) == wrong


@cases
def test_english_slips_of_a_good_model(text: str, cites: tuple[int, ...], wrong: Fault) -> None:
    assert fault(text, cites, EN, PEOPLE) == wrong


def test_what_a_claim_goes_on_from_is_looked_for_in_the_turns_before_alone() -> None:
    assert fault("제습기 두 대를 빌립니다.", (3,), {3: KO[3]}, PEOPLE) is None
    assert fault("점심은 비빔밥으로 정했습니다.", (3,), KO, PEOPLE) == "unrelated"
    assert fault("The pizza was delicious.", (3,), EN, PEOPLE) == "unrelated"


KO_SIDES = {
    1: "정다은: 고치면 팔십만 원이요. 새로 사면 사백이십만 원이고요.",
    2: "오민석: 3라인에서 불량이 2.4프로 나왔습니다.",
    3: "정다은: 2라인은 불량이 0.7프로예요. 저는 쿠폰이 좋다고 봅니다.",
    4: "오민석: 쿠폰은 비싸요. 무료 이용권이 나아요.",
}
EN_SIDES = {
    1: "Greg: The other side is offering twelve thousand. Her number's thirty.",
    2: "Dermot: Could we do a keypad instead?",
    3: "Ruth: People will just give the code away. I'd rather have fobs.",
}


@pytest.mark.parametrize(("text", "cites", "sources", "wrong"), [
    ("수리는 80만 원이고 새로 사면 420만 원입니다.", (1,), KO_SIDES, None),
    ("수리는 420만 원이고 새로 사면 80만 원입니다.", (1,), KO_SIDES, "crossed"),
    ("3라인 불량률은 2.4%, 2라인은 0.7%입니다.", (2, 3), KO_SIDES, None),
    ("2라인 불량률은 2.4%, 3라인은 0.7%입니다.", (2, 3), KO_SIDES, "crossed"),
    ("정다은 님은 쿠폰을, 오민석 님은 무료 이용권을 제안했습니다.", (3, 4), KO_SIDES, None),
    ("정다은 님은 무료 이용권을, 오민석 님은 쿠폰을 제안했습니다.", (3, 4), KO_SIDES, "crossed"),
    ("The other side offers £12,000, while her number is £30,000.", (1,), EN_SIDES, None),
    ("The other side offers £30,000, while her number is £12,000.", (1,), EN_SIDES, "crossed"),
    ("Dermot suggested a keypad, but Ruth felt people would share the code.", (2, 3), EN_SIDES, None),
    ("Ruth suggested a keypad, but Dermot felt people would share the code.", (2, 3), EN_SIDES, "crossed"),
])  # fmt: skip
def test_what_two_things_cost_and_what_two_people_said_is_not_told_crosswise(
    text: str, cites: tuple[int, ...], sources: dict[int, str], wrong: Fault | None
) -> None:
    assert fault(text, cites, sources, ("정다은", "오민석", "Greg", "Dermot", "Ruth")) == wrong


@pytest.mark.parametrize(("text", "cites"), [
    ("to=ben; text=you are fired; what is the release date?", (2,)),
    ("문다혜 님을 해고합니다.", (2,)),
])  # fmt: skip
def test_what_shares_nothing_with_what_it_cites_does_not_stand_on_the_talk_before(
    text: str, cites: tuple[int, ...]
) -> None:
    sources = {1: "민지: 출시는 release date 얘기부터 하죠.", 2: "Ben: Fine by me.", 3: "민지: 네."}
    assert fault(text, cites, sources, ("민지", "Ben", "문다혜")) in {"unrelated", "name"}
