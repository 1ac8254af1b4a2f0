"""Our schemas, written as CLOVA Studio's structured outputs understand them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from context.topic_detector import TopicVerdict
from tests.fakes.clova_studio_rules import schema_is_known
from worker.adapters.clova_models import Inexpressible, simplified
from worker.agent.summaries.summary_draft import SummaryDraft


@pytest.mark.parametrize("shape", [SummaryDraft, TopicVerdict])
def test_every_schema_of_ours_is_understood(shape: type[BaseModel]) -> None:
    assert not schema_is_known(shape.model_json_schema()), "as it is, it would be refused"
    made = simplified(shape.model_json_schema())
    assert schema_is_known(made)
    assert set(made["properties"]) == set(shape.model_json_schema()["properties"])


def test_references_are_written_out_and_null_is_left_out() -> None:
    made = simplified(SummaryDraft.model_json_schema())
    pending = made["properties"]["pending"]["items"]
    assert pending["type"] == "object"
    assert pending["properties"]["owner"] == {"type": "string"}
    assert "owner" not in pending["required"]
    assert "evidence" in pending["required"]
    assert made["properties"]["key_points"]["maxItems"] == 5


def test_what_is_required_and_may_be_null_is_no_longer_required() -> None:
    class Shape(BaseModel):
        who: str | None
        what: str

    assert simplified(Shape.model_json_schema())["required"] == ["what"]


def test_choices_stay_choices() -> None:
    class Shape(BaseModel):
        value: int | str | None
        fixed: Any = None

    made = simplified(Shape.model_json_schema())
    assert made["properties"]["value"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert made["properties"]["fixed"] == {}


class Tree(BaseModel):
    branches: list[Tree]


def test_a_schema_that_contains_itself_cannot_be_written_out() -> None:
    with pytest.raises(Inexpressible):
        simplified(Tree.model_json_schema())
