"""The API's own description, made of its operations and of the models that check its requests."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from worker.web.operations import MEETING, OPERATIONS, Operation

_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["field", "value", "mend"],
            "properties": {
                "field": {"type": ["string", "null"]},
                "value": {"type": ["string", "number", "boolean", "null"]},
                "mend": {"type": "string"},
            },
        }
    },
}
_MEANING: Final = {
    400: "the request is wrong; `field`, `value` and `mend` say where",
    401: "the bearer token is missing or wrong",
    403: "this session may not, or another site's page sent it",
    404: "no such meeting",
    408: "the body did not come in time",
    409: "the meeting is over, or not that far",
    413: "the body is too large",
    415: "the body is no JSON in UTF-8",
    429: "too much at once; see Retry-After",
    503: "a part of Moim is out of reach; see Retry-After",
}


def document() -> dict[str, Any]:
    """Describe the API in OpenAPI 3.1."""
    bodies = [operation.body for operation in OPERATIONS if operation.body is not None]
    _, schemas = models_json_schema(
        [(body, "validation") for body in bodies], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Moim", "version": version("moim")},
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR, "Meeting": MEETING, **schemas.get("$defs", {})},
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    sent = (408, 413, 415) if operation.body else (408, 413) if operation.upload else ()
    codes = {400, 401, 429, 503, *operation.errors, *sent}
    if operation.method != "get" or operation.right != "look":
        codes.add(403)
    if "_id}" in operation.path:
        codes.add(404)
    failing = {
        str(code): {
            "description": _MEANING[code],
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
        for code in sorted(codes)
    }
    done = {
        "description": "asked for" if operation.status == 202 else "done",
        "content": {kind: {"schema": operation.result or {}} for kind in operation.content},
    }
    described: dict[str, Any] = {
        "summary": operation.summary,
        "responses": {str(operation.status): done, **failing},
    }
    if parameters := _parameters(operation):
        described["parameters"] = parameters
    if operation.body is not None or operation.upload:
        kind, schema = "application/octet-stream", {"type": "string", "format": "binary"}
        if operation.body is not None:
            kind, schema = "application/json", {"$ref": f"#/components/schemas/{operation.body.__name__}"}
        described["requestBody"] = {"required": True, "content": {kind: {"schema": schema}}}
    return described


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    if operation.query is not None:
        described = operation.query.model_json_schema()
        for name, schema in described["properties"].items():
            needed = name in described.get("required", ())
            found.append({"name": name, "in": "query", "required": needed, "schema": schema})
    return found
