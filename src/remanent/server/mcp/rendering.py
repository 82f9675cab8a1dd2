"""Answers in words, for models that read text and not structure: in the language of the question."""

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_json, to_jsonable_python

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.discipline.shapes import Page
from remanent.language.tongue import Tongue
from remanent.model import Entry, Found, Receipt, Record, Tombstone
from remanent.operations.scratchpad import PadValues
from remanent.recall.injection import notices
from remanent.text.escaping import escape, escape_lines, escape_name
from remanent.text.excerpt import excerpt

_MAX_ITEM_LENGTH = 2000
"""Characters of one item that are shown; the structure has all of them."""


def to_text(answer: object, *, tongue: Tongue) -> str:
    """Return an answer as a text; what there are no words for is told as JSON."""
    if isinstance(answer, Page) and answer.items and isinstance(answer.items[0], Entry):
        return _entries(answer, tongue)
    if isinstance(answer, Page) and not answer.items:
        return {"en": "There is nothing.", "zh": "没有内容。"}[tongue]
    for kind, told in _WRITERS.items():
        if isinstance(answer, kind):
            return told(answer, tongue)
    # Escaped before it is written: signs that an entity stands for would end a string afterwards.
    return to_json(_escaped_values(to_jsonable_python(answer))).decode()


def _escaped_values(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, list):
        return [_escaped_values(item) for item in value]
    return {key: _escaped_values(item) for key, item in value.items()} if isinstance(value, dict) else value


def _found(found: Found, tongue: Tongue) -> str:
    if not found.items:
        return {"en": "Nothing is remembered about that.", "zh": "没有相关的记忆。"}[tongue]
    head = {"en": "Remembered, best first:", "zh": "相关记忆，最相关的在前："}[tongue]
    lines = [head]
    for place, item in enumerate(found.items, start=1):
        speakers = sorted({name for source in item.sources if (name := escape_name(source.role))})
        lead = ", ".join([f"{item.occurred_at:%Y-%m-%d %H:%M}", *notices(item, tongue), *speakers])
        lines.append(f"{place}. [{item.record_id}] {lead}: {_shown(item.text)}")
    if found.left_out:
        names = ", ".join(left.path for left in found.left_out)
        lines.append({"en": f"(Not searched: {names}.)", "zh": f"（未能检索：{names}。）"}[tongue])
    return "\n".join(lines)


def _receipt(receipt: Receipt, tongue: Tongue) -> str:
    count = len(receipt.entry_ids)
    known = receipt.repeated
    if tongue == "zh":
        return f"已记住 {count} 条。" + (f"其中 {known} 条此前已经记住。" if known else "")
    return f"Remembered: {count}." + (f" Of these, {known} were known already." if known else "")


def _entries(page: Page[Entry], tongue: Tongue) -> str:
    lines = [
        f"#{entry.seq} {entry.occurred_at:%Y-%m-%d %H:%M} {escape_name(entry.role)}: "
        + ({"en": "(erased)", "zh": "（已抹除）"}[tongue] if entry.erased else _shown(entry.text))
        for entry in page.items
    ]
    if page.next is not None:
        more = {"en": "There is more: cursor", "zh": "还有更多：cursor"}[tongue]
        lines.append(f"({more} {page.next})")
    return "\n".join(lines)


def _tombstone(tombstone: Tombstone, tongue: Tongue) -> str:
    about = _shown(tombstone.about)
    return {
        "en": f"Forgotten: {about} (record {tombstone.record_id} can be restored)",
        "zh": f"已忘记：{about}（记忆 {tombstone.record_id} 可以恢复）",
    }[tongue]


def _record(record: Record, tongue: Tongue) -> str:
    state = {"en": f"{record.kind}, {record.status}", "zh": f"{record.kind}，{record.status}"}[tongue]
    return f"[{record.id}] ({state}) {record.occurred_at:%Y-%m-%d %H:%M}: {_shown(record.content)}"


def _deep(found: DeepRetrieved, tongue: Tongue) -> str:
    if not found.entries:
        return {"en": "Nothing is left of what it came from.", "zh": "其来源已不存在。"}[tongue]
    lines = [{"en": "Word for word, oldest first:", "zh": "原文，由旧到新："}[tongue]]
    for entry in found.entries:
        # Whole: whoever asks for the raw words has seen the short ones.
        lines.append(f"- {entry.timestamp:%Y-%m-%d %H:%M} {entry.kind}: {escape_lines(entry.text)}")
        for item in entry.attachments:
            told = item.content if item.encoding == "text" else item.problem
            what = f"[{escape_name(item.id)}] {escape_name(item.name)} ({escape_name(item.media_type)})"
            lines.append(f"  {what}: {escape_lines(told, indent='    ')}")
    return "\n".join(lines)


def _pad(pad: PadValues, tongue: Tongue) -> str:
    if not pad.values:
        return {"en": "Nothing stands there.", "zh": "上面没有内容。"}[tongue]
    values = {key: value if isinstance(value, str) else to_json(value).decode() for key, value in pad.values.items()}
    return "\n".join(f"{escape_name(key)}: {escape_lines(value)}" for key, value in values.items())


def _shown(text: str) -> str:
    return escape_lines(excerpt(text, _MAX_ITEM_LENGTH))


_WRITERS: dict[type, Callable[[Any, Tongue], str]] = {
    Found: _found,
    Receipt: _receipt,
    Tombstone: _tombstone,
    Record: _record,
    DeepRetrieved: _deep,
    PadValues: _pad,
}
