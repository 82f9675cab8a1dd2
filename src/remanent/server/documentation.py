"""What the server can do, for programs and for people: OpenAPI and a page, both made from the catalogue.

The page has no script, so that it can be served under the strictest content policy and read without a network.
"""

import json
from html import escape
from importlib.metadata import version
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from remanent.bilingual import Bilingual, Language
from remanent.discipline.shapes import ZH
from remanent.operations import Body, Catalogue, Operation, Run
from remanent.server import mcp
from remanent.server.idempotency import HEADER
from remanent.server.problems import MEDIA_TYPE, PROBLEM_TYPES, PROTOCOL_TITLES
from remanent.server.rest import BYTES, EVENTS, LINES, RUNS, address_of, own_fields, takes_body, upload_types

_REF = "#/components/schemas/{model}"
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
    },
}
_OPEN = {"RecordData"}
"""What is more than its schema says: each kind of record carries data of its own."""

_NAME = {"type": "string", "minLength": 1, "maxLength": 64}
"""The names of an address, as `Scope` bounds them."""


def openapi(catalogue: Catalogue) -> dict[str, Any]:
    """Return the whole description."""
    schemas = _Schemas(catalogue)
    paths: dict[str, dict[str, Any]] = {}
    for operation in catalogue.values():
        paths.setdefault(address_of(operation), {})[operation.method.lower()] = _operation(operation, schemas)
    paths |= _runs(schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Remanent",
            "version": version("remanent"),
            "description": "A memory that LLM agents can trust.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": {**schemas.definitions, "Problem": _PROBLEM},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }


class _Schemas:
    """The JSON schemas of everything that is asked and answered, each under one name."""

    def __init__(self, catalogue: Catalogue) -> None:
        adapters: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
            (one.name, "serialization", TypeAdapter(one.response))
            for one in catalogue.values()
            if one.answers is Body.JSON
        ]
        adapters.append(("run", "serialization", TypeAdapter(Run)))
        # By the operation's name: two disciplines may call their requests alike.
        adapters += [(one.name, "validation", TypeAdapter(one.request)) for one in catalogue.values()]
        refs, described = TypeAdapter.json_schemas(adapters, ref_template=_REF)
        self._refs = refs
        self.definitions: dict[str, Any] = described.get("$defs", {})
        for name in _OPEN & set(self.definitions):
            self.definitions[name]["additionalProperties"] = True

    def answer(self, name: str) -> dict[str, Any]:
        """Return the schema of an operation's answer."""
        return self._refs[(name, "serialization")]

    def fields(self, operation: Operation[Any, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the schemas of a request's fields, and which of them are needed."""
        schema = self._refs[(operation.name, "validation")]
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].rpartition("/")[2]]
        return schema.get("properties", {}), schema.get("required", [])


def _operation(operation: Operation[Any, Any], schemas: _Schemas) -> dict[str, Any]:
    """Return the description of one operation; what OpenAPI has no word for stands under `x-` names."""
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.help.en.partition(". ")[0].rstrip("."),
        "description": operation.help.en,
        "x-zh": operation.help.zh,
        "x-permission": operation.permission.value,
        "tags": [operation.level.value],
        "parameters": _parameters(operation, schemas),
        "responses": _responses(operation, schemas),
    }
    if takes_body(operation):
        described["requestBody"] = _body(operation, schemas)
    elif operation.reads is not Body.JSON:
        described["requestBody"] = {
            "required": False,  # an empty one is no malformed one
            "content": {kind: {"schema": {"type": "string"}} for kind in upload_types(operation)},
        }
    return described


def _parameters(operation: Operation[Any, Any], schemas: _Schemas) -> list[dict[str, Any]]:
    """Return what is sent in the path, the query and headers."""
    properties, required = schemas.fields(operation)
    found = [{"name": name, "in": "path", "required": True, "schema": _NAME} for name in operation.level.names]
    found += [
        {"name": name, "in": "path", "required": True, "schema": properties[name]} for name in operation.path_fields
    ]
    if not takes_body(operation):
        found += [
            {"name": name, "in": "query", "required": name in required, "schema": _without_null(properties[name])}
            for name in own_fields(operation)
        ]
    if operation.version_field is not None:
        found.append(_header("If-Match", "The ETag that the record must still have.", {"type": "string"}))
    if operation.changes and operation.reads is Body.JSON:
        schema = {"type": "string", "minLength": 1, "maxLength": 255}
        found.append(_header(HEADER, "The same key makes a repeated request harmless.", schema))
    return found


def _header(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter in an address, where nothing is said by leaving it out."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if not options:
        return schema
    rest = {name: value for name, value in schema.items() if name not in {"anyOf", "default"}}
    return {**rest, **options[0]} if len(options) == 1 else {**rest, "anyOf": options}


def _body(operation: Operation[Any, Any], schemas: _Schemas) -> dict[str, Any]:
    """Return the JSON body: the fields that stand neither in the path nor in a header."""
    properties, required = schemas.fields(operation)
    own = own_fields(operation)
    schema: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: properties[name] for name in own},
    }
    needed = [name for name in required if name in own]
    if needed:
        schema["required"] = needed
    content: dict[str, Any] = {"schema": schema}
    if operation.examples:
        content["examples"] = {
            f"example{number}": {"value": {name: value for name, value in example.items() if name in own}}
            for number, example in enumerate(operation.examples, start=1)
        }
    return {"required": bool(needed), "content": {"application/json": content}}


def _responses(operation: Operation[Any, Any], schemas: _Schemas) -> dict[str, Any]:
    """Return every answer that an operation can give, refusals included, so that clients can be made from this."""
    if operation.long:
        good = {"202": _json("Started; follow it at its Location.", schemas.answer("run"))}
    elif operation.answers is Body.LINES:
        good = {"200": {"description": "JSON lines.", "content": {LINES: {"schema": {"type": "string"}}}}}
    elif operation.answers is Body.BYTES:
        good = {"200": {"description": "A file.", "content": {BYTES: {}}}}
    else:
        good = {"200": _json("Done.", schemas.answer(operation.name))}
        if operation.method == "GET":
            good["304"] = {"description": "Unchanged since you last read it."}
    return {**good, **_refusals()}


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _refusals() -> dict[str, Any]:
    """Return every refusal that any address can give, each in the one form."""
    titles = {row.status: row.title for row in PROBLEM_TYPES.values()} | dict(PROTOCOL_TITLES)
    content = {MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}}
    return {str(status): {"description": titles[status].en, "content": content} for status in sorted(titles)}


def _runs(schemas: _Schemas) -> dict[str, Any]:
    """Describe how long work is followed."""
    org = {"name": "org", "in": "path", "required": True, "schema": _NAME}
    run_id = {
        "name": "run_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    }
    run = schemas.answer("run")
    several = {"type": "object", "properties": {"items": {"type": "array", "items": run}, "next": {"type": "null"}}}
    events = {"description": "Events.", "content": {EVENTS: {"schema": {"type": "string"}}}}

    def one(name: str, summary: str, good: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
        return {
            "operationId": f"runs.{name}",
            "summary": summary,
            "tags": ["runs"],
            "parameters": list(parameters),
            "responses": {"200": good, **_refusals()},
        }

    return {
        RUNS: {"get": one("list", "List long-running operations", _json("Runs.", several), org)},
        f"{RUNS}/{{run_id}}": {
            "get": one("get", "Get a long-running operation", _json("The run.", run), org, run_id),
            "delete": one("cancel", "Cancel a long-running operation", _json("The run.", run), org, run_id),
        },
        f"{RUNS}/{{run_id}}/events": {
            "get": one("follow", "Follow a long-running operation through server-sent events", events, org, run_id)
        },
    }


_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:#f4f4f2;padding:.8rem;overflow:auto;border-radius:.3rem}
h2{margin:2.5rem 0 .2rem;font-size:1.15rem}table{border-collapse:collapse;width:100%}
td,th{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
.m{color:#06c;font-weight:600}.p{color:#777}nav a{margin-right:.8rem}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#242424}td,th{border-color:#444}}
"""
_TITLE = Bilingual("Remanent: what the server can do", "Remanent：服务器能做什么")
_INTRO = Bilingual(
    "Send JSON as <code>application/json</code>, with a key as <code>Authorization: Bearer …</code>; "
    "until the first key is created, programs on this machine need none. Errors are "
    "<code>application/problem+json</code>. The full description: <a href='/openapi.json'>/openapi.json</a>. "
    "<a href='?lang=zh'>中文</a>",
    "请求为 JSON（<code>application/json</code>），并加上密钥 <code>Authorization: Bearer …</code>；"
    "仅在创建第一个密钥之前，本机上的程序无需密钥。错误格式为 "
    "<code>application/problem+json</code>。完整描述见 <a href='/openapi.json'>/openapi.json</a>。"
    "<a href='?lang=en'>English</a>",
)
_FIELD, _MEANING, _NEEDS = Bilingual("field", "字段"), Bilingual("meaning", "含义"), Bilingual("needs", "所需权限")


_ABOUT = Bilingual(
    "This is Remanent, a memory for agents that talk with language models: it keeps what was said and finds what "
    "matters later.\n"
    "\n"
    "/docs          what it can do over HTTP, with examples\n"
    "/openapi.json  the same, machine-readable\n"
    "/v1            the base URL for chat clients: the model behind it answers, with memory\n"
    "/mcp           for agents that use the Model Context Protocol{missing}\n"
    "/livez         whether it is running\n"
    "/readyz        whether it is ready for work\n",
    "这里是 Remanent：为与大语言模型对话的智能体提供的长期记忆，保存说过的话，并在需要时找出相关内容。\n"
    "\n"
    "/docs          HTTP 接口说明与示例\n"
    "/openapi.json  供程序读取的接口描述\n"
    "/v1            对话客户端的 base URL：由后方模型回答，并带上记忆\n"
    "/mcp           供支持模型上下文协议（MCP）的智能体使用{missing}\n"
    "/livez         是否在运行\n"
    "/readyz        能否正常工作\n",
)
_NOT_HERE = Bilingual(" (not installed yet: {install})", "（尚未安装：{install}）")


def about(language: Language) -> str:
    """Return what the server says of itself to whoever opens its address."""
    missing = "" if mcp.is_installed() else _NOT_HERE.say(language, install=mcp.INSTALL)
    return _ABOUT.say(language, missing=missing)


def page(catalogue: Catalogue, *, chinese: bool) -> str:
    """Return the page in one language."""

    def say(said: Bilingual) -> str:
        return said.zh if chinese else said.en

    links = "".join(f"<a href='#{name}'>{name}</a>" for name in catalogue)
    parts = [_section(operation, say=say, chinese=chinese) for operation in catalogue.values()]
    return (
        f"<!doctype html><html lang='{'zh' if chinese else 'en'}'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{escape(say(_TITLE))}</title><style>{_STYLE}</style><h1>{escape(say(_TITLE))}</h1>"
        f"<p>{say(_INTRO)}</p><nav>{links}</nav>{''.join(parts)}</html>"
    )


def _section(operation: Operation[Any, Any], *, say: Any, chinese: bool) -> str:
    """Return the part of the page that is about one operation."""
    rows = []
    for name, field in operation.request.model_fields.items():
        extra = field.json_schema_extra
        meaning = str(extra[ZH]) if chinese and isinstance(extra, dict) else field.description or ""
        mark = " *" if field.is_required() else ""
        rows.append(f"<tr><td><code>{escape(name)}</code>{mark}</td><td>{escape(meaning)}</td></tr>")
    table = f"<table><tr><th>{say(_FIELD)}</th><th>{say(_MEANING)}</th></tr>{''.join(rows)}</table>" if rows else ""
    examples = "".join(f"<pre>{escape(_shown(operation, dict(example)))}</pre>" for example in operation.examples)
    return (
        f"<h2 id='{operation.name}'>{escape(operation.name)}</h2>"
        f"<p>{escape(say(operation.help))} <span class='p'>{say(_NEEDS)}: {operation.permission}</span></p>"
        f"<p><span class='m'>{operation.method}</span> <code>{escape(address_of(operation))}</code></p>"
        f"{table}{examples}"
    )


def _shown(operation: Operation[Any, Any], example: dict[str, Any]) -> str:
    """Return an example as a command that can be copied."""
    path = address_of(operation).format_map({**example, "org": "default", "workspace": "sample", "agent": "ada"})
    own = {name: value for name, value in example.items() if name in own_fields(operation)}
    if takes_body(operation):
        body = json.dumps(own, ensure_ascii=False).replace("'", "'\\''")
        return f"curl -s http://127.0.0.1:8765{path} -H 'content-type: application/json' -d '{body}'"
    pairs = "&".join(
        f"{name}={json.dumps(item) if isinstance(item, bool) else item}"
        for name, value in own.items()
        for item in (value if isinstance(value, list) else [value])
    )
    address = f"'http://127.0.0.1:8765{path}{'?' + pairs if pairs else ''}'"
    types = upload_types(operation)
    sent = f" -H 'content-type: {types[0]}' --data-binary @FILE" if types else ""
    method = "" if operation.method == "GET" or sent else f"-X {operation.method} "
    return f"curl -s {method}{address}{sent}"
