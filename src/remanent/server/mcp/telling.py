"""Answers in words, for models that read text and not structure: in the language of the question."""

from collections.abc import Callable
from typing import Any

from pydantic_core import to_json

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.discipline.shapes import Page
from remanent.language.tongue import Tongue
from remanent.model import Entry, Found, Receipt, Record, Tombstone
from remanent.operations.scratchpad import PadValues
from remanent.text.escaping import escape
from remanent.text.excerpt import excerpt

_LONGEST = 2000
"""Characters of one item that are shown; the structure has all of them."""


def tell(answer: object, *, tongue: Tongue) -> str:
    """Return an answer as a text; what there are no words for is told as JSON."""
    if isinstance(answer, Page) and answer.items and isinstance(answer.items[0], Entry):
        return _entries(answer, tongue)
    if isinstance(answer, Page) and not answer.items:
        return {"en": "There is nothing.", "zh": "没有内容。"}[tongue]
    for kind, told in _WORDS.items():
        if isinstance(answer, kind):
            return told(answer, tongue)
    return to_json(answer).decode()


def _found(found: Found, tongue: Tongue) -> str:
    if not found.items:
        return {"en": "Nothing is remembered about that.", "zh": "没有相关的记忆。"}[tongue]
    head = {"en": "Remembered, best first:", "zh": "相关记忆，最相关的在前："}[tongue]
    lines = [head]
    for place, item in enumerate(found.items, start=1):
        speakers = sorted({source.role for source in item.sources if source.role})
        who = f", {escape(', '.join(speakers))}" if speakers else ""
        lines.append(f"{place}. [{item.record_id}] {item.occurred_at:%Y-%m-%d %H:%M}{who}: {_shown(item.text)}")
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
        f"#{entry.seq} {entry.occurred_at:%Y-%m-%d %H:%M} {escape(entry.role)}: "
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
        lines.append(f"- {entry.timestamp:%Y-%m-%d %H:%M} {entry.kind}: {escape(entry.text)}")
        for item in entry.attachments:
            told = item.content if item.encoding == "text" else item.problem
            lines.append(f"  [{escape(item.id)}] {escape(item.name)} ({escape(item.media_type)}): {escape(told)}")
    return "\n".join(lines)


def _pad(pad: PadValues, tongue: Tongue) -> str:
    if not pad.values:
        return {"en": "Nothing stands there.", "zh": "上面没有内容。"}[tongue]
    values = {key: value if isinstance(value, str) else to_json(value).decode() for key, value in pad.values.items()}
    return "\n".join(f"{escape(key)}: {escape(value)}" for key, value in values.items())


def _shown(text: str) -> str:
    return escape(excerpt(text, _LONGEST))


_WORDS: dict[type, Callable[[Any, Tongue], str]] = {
    Found: _found,
    Receipt: _receipt,
    Tombstone: _tombstone,
    Record: _record,
    DeepRetrieved: _deep,
    PadValues: _pad,
}
