"""The page that people read: every operation with its address, fields and an example, without a line of script."""

import json
from html import escape
from typing import Any

from remanent.discipline.shapes import ZH
from remanent.operations import Bilingual, Catalogue, Operation
from remanent.server.reading import own_fields, takes_body, upload_types
from remanent.server.rest import address_of

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
    "Send JSON as <code>application/json</code>, with a key as <code>Authorization: Bearer …</code>; only until the "
    "first key is made, programs on this machine need none. Errors are "
    "<code>application/problem+json</code>. The whole description: <a href='/openapi.json'>/openapi.json</a>. "
    "<a href='?lang=zh'>中文</a>",
    "请求为 JSON（<code>application/json</code>），并加上密钥 <code>Authorization: Bearer …</code>；"
    "仅在创建第一个密钥之前，本机上的程序无需密钥。错误格式为 "
    "<code>application/problem+json</code>。完整描述见 <a href='/openapi.json'>/openapi.json</a>。"
    "<a href='?lang=en'>English</a>",
)
_FIELD, _MEANING, _NEEDS = Bilingual("field", "字段"), Bilingual("meaning", "含义"), Bilingual("needs", "所需权限")


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
    pairs = "&".join(f"{name}={_plain(item)}" for name, value in own.items() for item in _each(value))
    address = f"'http://127.0.0.1:8765{path}{'?' + pairs if pairs else ''}'"
    types = upload_types(operation)
    sent = f" -H 'content-type: {types[0]}' --data-binary @FILE" if types else ""
    method = "" if operation.method == "GET" or sent else f"-X {operation.method} "
    return f"curl -s {method}{address}{sent}"


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)
