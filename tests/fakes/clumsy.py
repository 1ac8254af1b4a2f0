"""A clumsy model's slips: the ways in which a small model spoils the form of a reply whose words are right.

Each takes a right reply, in the form that the prompts ask for, and gives it as a small model might write it. What the
reply says is the same; one that adds an item adds it beside the right ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

ANSWER: Final = frozenset({"answer"})
SUMMARY: Final = frozenset({"summary"})
VERDICTS: Final = frozenset({"verification"})
LISTED: Final = frozenset({"verification", "plan"})
SINGLE: Final = frozenset({"topic_detection", "quality"})
JSON: Final = SUMMARY | LISTED | SINGLE

_CITATION: Final = re.compile(r"\[#(\d+)\]")
_GROUP: Final = re.compile(r"(?:\[#\d+\])+")
FOREIGN: Final = "最终"
"""The Chinese word (finally) that slips in."""
_STATED: Final = ("summary", "key_points", "decisions", "pending")


@dataclass(frozen=True, slots=True)
class Slip:
    """One way to spoil the form of a reply to prompts of these purposes."""

    name: str
    purposes: frozenset[str]
    make: Callable[[str, str], str]
    """From a right reply and its language (`ko`, `en`); the same where there is nothing to spoil."""


def _cited(form: Callable[[str], str]) -> Callable[[str, str], str]:
    return lambda text, _: _CITATION.sub(lambda found: form(found[1]), text)


def _joined(text: str, _: str) -> str:
    """Citations side by side in one pair of brackets, those in a row as a range."""

    def together(found: re.Match[str]) -> str:
        ids = [int(id_) for id_ in _CITATION.findall(found[0])]
        if len(ids) > 2 and ids == list(range(ids[0], ids[-1] + 1)):
            return f"[#{ids[0]}-{ids[-1]}]"
        return f"[{', '.join(f'#{id_}' for id_ in ids)}]"

    return _GROUP.sub(together, text)


def _claims(form: str) -> Callable[[str, str], str]:
    """Each line in the given form. In: `mark` of the list, `claim`, `cited`."""

    def lines(text: str, _: str) -> str:
        return re.sub(
            r"(?m)^(?P<mark>\s*(?:[-*]\s+)?)(?P<claim>[^\n]*?)\s*(?P<cited>(?:\[#\d+\])+)$", _filled, text
        )

    def _filled(found: re.Match[str]) -> str:
        return form.format(**found.groupdict())

    return lines


def _foreign(text: str, _: str) -> str:
    """One Chinese word before the last word of the first line."""
    first, end, rest = text.partition("\n")
    found = _GROUP.search(first)
    body, cited = (first[: found.start()], first[found.start() :]) if found else (first, "")
    words = body.rstrip().rsplit(" ", 1)
    if len(words) < 2:
        return text
    return f"{words[0]} {FOREIGN} {words[1]} {cited}{end}{rest}"


def _looped(cycle: int) -> Callable[[str, str], str]:
    def lines(text: str, _: str) -> str:
        told = text.rstrip().split("\n")
        round_ = told[-cycle:] if len(told) >= cycle else [*told, *told][:cycle]
        return "\n".join([*told, *round_ * (150 // cycle)])

    return lines


def _stuck(text: str, language: str) -> str:
    """Behind the answer, the same words again and again in one line."""
    words = {"ko": "그리고 다시 한번 말씀드리면 ", "en": "and to say it once more "}[language]
    return f"{text.rstrip()}\n{words * 300}"


def _prefaced(text: str, language: str) -> str:
    first = {"ko": "네, 답변드리겠습니다:", "en": "Sure! Here is the answer:"}[language]
    return f"{first}\n```markdown\n{text.rstrip()}\n```"


def _changed(change: Callable[[Any, str], Any]) -> Callable[[str, str], str]:
    """A change of the JSON value; what is no object stays."""

    def changed(text: str, language: str) -> str:
        value = json.loads(text)
        after = change(value, language)
        return text if after is None else json.dumps(after, ensure_ascii=False)

    return changed


def _items(value: Any) -> list[dict[str, Any]]:
    return [each for field in _STATED for each in value.get(field, ())]


def _nulls(value: Any, _: str) -> Any:
    for each in _items(value):
        for field in ("owner", "due", "status", "replaces"):
            each.setdefault(field, None)
    return {**value, "keywords": value.get("keywords") or None}


def _missing(value: Any, _: str) -> Any:
    """The list that is empty is left out, and the keywords."""
    empty = next((field for field in reversed(_STATED) if not value.get(field)), None)
    return {key: kept for key, kept in value.items() if key not in (empty, "keywords")}


def _added(item: Any) -> Callable[[Any, str], Any]:
    """One more item in every list of statements that has some."""
    return lambda value, _: {
        key: [*kept, item] if key in _STATED and kept else kept for key, kept in value.items()
    }


def _evidence_as_text(value: Any, _: str) -> Any:
    for place, each in enumerate(_items(value)):
        ids = each["evidence"]
        each["evidence"] = (
            ids[0] if len(ids) == 1 and place % 2 else f"[{', '.join(f'#{id_}' for id_ in ids)}]"
        )
    return value


def _items_as_text(value: Any, _: str) -> Any:
    """Sentences and points as lines that cite, as in an answer."""
    for field in ("summary", "key_points"):
        value[field] = [
            f"{each['text']} {''.join(f'[#{id_}]' for id_ in each['evidence'])}" for each in value[field]
        ]
    return value


def _titled(value: Any, _: str) -> Any:
    return {key.replace("_", " ").title(): kept for key, kept in value.items()}


def _cut_off(text: str, _: str) -> str:
    """It ends within its last words, as at a limit of tokens; not where that is all that it has."""
    if len(json.loads(text).get("verdicts", "..")) < 2:
        return text
    return text.rstrip("}] \n")[:-1].rstrip("\"'")


def _fenced(text: str, language: str) -> str:
    before, behind = {
        "ko": ("요청하신 JSON입니다 [검토 완료]:", "도움이 되었기를 바랍니다!"),
        "en": ("Here is the JSON [checked]:", "Let me know if you need {more}!"),
    }[language]
    return f"{before}\n```json\n{text}\n```\n{behind}"


def _trailing_commas(text: str, _: str) -> str:
    return re.sub(r"(?<=[\]}\"\w])([\]}])", r",\1", text)


def _as_python(text: str, _: str) -> str:
    return repr(json.loads(text))


def _shouted(value: Any, _: str) -> Any:
    for each in value["verdicts"]:
        each["verdict"] = each["verdict"].replace("_", " ").capitalize() + "."
        if "status" in each:
            each["status"] = each["status"].upper()
    return value


def _changed_null(value: Any, _: str) -> Any:
    for each in value["verdicts"]:
        each["changed"] = each.get("changed") or None
        each["status"] = each.get("status")
        each["by"] = each.get("by")
    return value


def _bare(value: Any, _: str) -> Any:
    return next((kept for kept in value.values() if isinstance(kept, list)), None)


def _as_words(value: Any, _: str) -> Any:
    """Numbers and yes or no as a person writes them."""
    for place, each in enumerate(value.get("verdicts", ())):
        each["claim"] = f"{each['claim']}." if place % 2 else f"#{each['claim']}"
    if "completeness_score" in value:
        value["completeness_score"] = f"{value['completeness_score']}/10"
    for field in ("overall_quality", "confidence"):
        if field in value:
            value[field] = f"{round(100 * value[field])}%"
    for field in ("needs_retrieval", "topic_changed"):
        if field in value:
            value[field] = "Yes." if value[field] else "No."
    return value


def _one_beyond_reading(value: Any, _: str) -> Any:
    return {"verdicts": [{"claim": "?", "verdict": "maybe"}, None, *value["verdicts"], "all good"]}


_NUMBERED: Final = {"ko": "{}번 발언", "en": "utterance {}"}
_BY_NAME: Final = {"ko": "(발언 {})", "en": "[Utterance {}]"}
_BEFORE: Final = {"ko": "{}번 발언에 따르면 ", "en": "According to utterances {}, "}
_BEHIND: Final = {"ko": " — {} 발언", "en": " — utterances {}"}


def _in_words(form: dict[str, str]) -> Callable[[str, str], str]:
    return lambda text, language: _CITATION.sub(lambda found: form[language].format(found[1]), text)


def _cited_before(text: str, language: str) -> str:
    """Each line that begins with its only citations, in words."""
    return _LINE.sub(
        lambda found: found["mark"] + _BEFORE[language].format(_row(found["cited"], "")) + found["claim"],
        text,
    )


def _cited_behind(text: str, language: str) -> str:
    number = "번" if language == "ko" else ""
    return _LINE.sub(
        lambda found: found["mark"] + found["claim"] + _BEHIND[language].format(_row(found["cited"], number)),
        text,
    )


_LINE: Final = re.compile(r"(?m)^(?P<mark>\s*(?:[-*]\s+)?)(?P<claim>[^\n\[]*?)\s*(?P<cited>(?:\[#\d+\])+)$")


def _row(cited: str, counter: str) -> str:
    return ", ".join(f"{id_}{counter}" for id_ in _CITATION.findall(cited))


_KEYS: Final = {
    "ko": {
        "topic_name": "주제", "summary": "요약", "key_points": "핵심 내용", "decisions": "결정 사항", "pending": "할 일",
        "keywords": "키워드", "text": "내용", "evidence": "근거", "owner": "담당자", "due": "기한", "status": "상태",
        "verdicts": "판정 목록", "claim": "번호", "verdict": "판정", "by": "발언자", "changed": "변경",
        "required_topics": "필요한 토픽", "topic_changed": "주제 변경", "current_topic": "현재 주제", "confidence": "확신도",
        "grounding_score": "근거 점수", "missing_info": "빠진 정보", "needs_retrieval": "검색 필요",
    },
    "en": {
        "topic_name": "title", "summary": "sentences", "key_points": "mainPoints", "decisions": "decision",
        "pending": "actionItems", "keywords": "keyword", "text": "statement", "evidence": "citations", "owner": "assignee",
        "due": "deadline", "status": "state", "verdicts": "judgements", "claim": "claimNumber", "verdict": "judgement",
        "by": "saidBy", "required_topics": "topics", "topic_changed": "topicChanged", "current_topic": "newTopic",
        "overall_quality": "overallQuality", "missing_info": "missing", "needs_retrieval": "needRetrieval",
    },
}  # fmt: skip


def _renamed(value: Any, language: str) -> Any:
    """Under other names, at every depth."""
    if isinstance(value, list):
        return [_renamed(each, language) for each in value]
    if not isinstance(value, dict):
        return value
    return {_KEYS[language].get(key, key): _renamed(kept, language) for key, kept in value.items()}


def _evidence_in_words(value: Any, language: str) -> Any:
    for each in _items(value):
        each["evidence"] = [_NUMBERED[language].format(id_) for id_ in each["evidence"]]
    return value


def _lists_as_objects(value: Any, _: str) -> Any:
    """A list of one is its item; a longer one has its items by their numbers."""
    for field in _STATED:
        if kept := value.get(field):
            value[field] = kept[0] if len(kept) == 1 else {str(n): each for n, each in enumerate(kept, 1)}
    return value


def _as_markdown(text: str, language: str) -> str:
    """Headings and bullets in the place of JSON."""
    value, lines = json.loads(text), list[str]()
    for field in _STATED:
        lines.append(f"\n## {_KEYS[language][field].title()}")
        for each in value.get(field, ()):
            details = "".join(
                f" ({_KEYS[language][key]}: {each[key]})"
                for key in ("owner", "due", "status")
                if each.get(key)
            )
            cited = "".join(f"[#{id_}]" for id_ in each["evidence"])
            lines.append(f"- {each['text']}{details} {cited}")
    return "\n".join(lines).strip()


def _wrapped(value: Any, _: str) -> Any:
    return {"status": "ok", "result": {"data": value, "meta": {"model": "m"}}, "error": None}


def _as_arguments(text: str, _: str) -> str:
    """The reply as a call of a tool: the JSON as a text within JSON."""
    return json.dumps({"name": "answer", "arguments": text}, ensure_ascii=False)


def _keyed_by_number(value: Any, _: str) -> Any:
    return {
        f"claim {each['claim']}" if each["claim"] % 2 else str(each["claim"]): {
            key: kept for key, kept in each.items() if key != "claim"
        }
        for each in value["verdicts"]
    }


_VERDICTS: Final[dict[str, dict[str, Any]]] = {
    "ko": {"supported": "예", "contradicted": "모순", "not_said": "언급 없음"},
    "en": {"supported": True, "contradicted": "Refuted", "not_said": "Not mentioned."},
}


def _in_other_words(value: Any, language: str) -> Any:
    for each in value["verdicts"]:
        each["verdict"] = _VERDICTS[language][each["verdict"]]
    return value


SLIPS: Final = (
    Slip("citations_without_number_sign", ANSWER, _cited("[{}]".format)),
    Slip("citations_in_round_brackets", ANSWER, _cited("(#{})".format)),
    Slip("citations_in_corner_brackets", ANSWER, _cited("【{}】".format)),
    Slip("citations_in_wide_marks", ANSWER, _cited("［＃{}］".format)),
    Slip("citations_joined", ANSWER, _joined),
    Slip("citations_bold", ANSWER, _cited("**[#{}]**".format)),
    Slip("citations_escaped", ANSWER, _cited(r"\[#{}\]".format)),
    Slip("citations_as_numbered_utterances", ANSWER, _in_words({k: f"({v})" for k, v in _NUMBERED.items()})),
    Slip("citations_as_named_utterances", ANSWER, _in_words(_BY_NAME)),
    Slip("citations_with_a_counter", ANSWER, _cited("[{}번]".format)),
    Slip("citations_in_words_before", ANSWER, _cited_before),
    Slip("citations_in_words_behind", ANSWER, _cited_behind),
    Slip("claims_bold", ANSWER, _claims("{mark}**{claim}** {cited}")),
    Slip("claims_italic_with_citations", ANSWER, _claims("{mark}*{claim} {cited}*")),
    Slip("one_foreign_word", ANSWER, _foreign),
    Slip("a_line_150_times", ANSWER, _looped(1)),
    Slip("two_lines_75_times", ANSWER, _looped(2)),
    Slip("a_phrase_300_times", ANSWER, _stuck),
    Slip("answer_prefaced_and_fenced", ANSWER, _prefaced),
    Slip("null_fields", SUMMARY, _changed(_nulls)),
    Slip("missing_list", SUMMARY, _changed(_missing)),
    Slip("an_empty_text", SUMMARY, _changed(_added({"text": "", "evidence": []}))),
    Slip("an_item_that_is_none", SUMMARY, _changed(_added(None))),
    Slip("evidence_as_text", SUMMARY, _changed(_evidence_as_text)),
    Slip("items_as_text", SUMMARY, _changed(_items_as_text)),
    Slip("keys_as_titles", SUMMARY, _changed(_titled)),
    Slip("evidence_in_words", SUMMARY, _changed(_evidence_in_words)),
    Slip("lists_as_objects", SUMMARY, _changed(_lists_as_objects)),
    Slip("markdown_for_json", SUMMARY, _as_markdown),
    Slip("other_keys", JSON, _changed(_renamed)),
    Slip("wrapped_twice", JSON, _changed(_wrapped)),
    Slip("json_as_arguments", JSON, _as_arguments),
    Slip("cut_off", SUMMARY | VERDICTS, _cut_off),
    Slip("json_fenced_in_prose", JSON, _fenced),
    Slip("trailing_commas", JSON, _trailing_commas),
    Slip("python_literals", JSON, _as_python),
    Slip("verdicts_in_capitals", VERDICTS, _changed(_shouted)),
    Slip("changed_null", VERDICTS, _changed(_changed_null)),
    Slip("a_bare_list", LISTED, _changed(_bare)),
    Slip("numbers_as_words", VERDICTS | SINGLE, _changed(_as_words)),
    Slip("verdicts_keyed_by_number", VERDICTS, _changed(_keyed_by_number)),
    Slip("verdicts_in_other_words", VERDICTS, _changed(_in_other_words)),
    Slip("a_verdict_beyond_reading", VERDICTS, _changed(_one_beyond_reading)),
)  # fmt: skip
"""All of them, each with its name."""
