"""The API's description in OpenAPI, made of its operations and of the models that check its requests."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from worker.web.operations import OPERATIONS, Operation
from worker.web.results import MEETING

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
    404: "no such meeting, document, link or erasure",
    408: "the body did not come in time",
    409: "the meeting is over, or not that far",
    413: "the body is too large",
    415: "the body is no JSON in UTF-8, or no kind of file that is read",
    429: "too much at once; see Retry-After",
    503: "a part of Moim is out of reach; see Retry-After",
}


def document() -> dict[str, Any]:
    """Describe the API in OpenAPI 3.1, as `GET /v1/openapi.json` shows it."""
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
    codes = {400, 401, 429, 503, *operation.errors}
    if operation.body is not None or operation.upload:
        codes |= {408, 413}
    if operation.body is not None:
        codes.add(415)
    if operation.method != "get" or operation.right != "look" or operation.administrator:
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
    sent: dict[str, Any] = {}
    if operation.body is not None:
        sent["application/json"] = {"schema": {"$ref": f"#/components/schemas/{operation.body.__name__}"}}
    elif operation.upload:
        sent["application/octet-stream"] = {"schema": {"type": "string", "format": "binary"}}
    if sent:
        described["requestBody"] = {"required": True, "content": sent}
    return described


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    if operation.query is not None:
        described = operation.query.model_json_schema()
        for name, schema in described["properties"].items():
            needed = name in described.get("required", ())
            parameters.append({"name": name, "in": "query", "required": needed, "schema": schema})
    return parameters
