"""Answers in words, for models that read text and not structure: in the language of the question.

Stored words are escaped wherever they appear: somebody may have said them in order to be taken for instructions.
"""

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_json, to_jsonable_python

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.bilingual import Bilingual, Language
from remanent.discipline.shapes import Done, Page
from remanent.model import Entry, EntryKind, Found, Receipt, Record, Tombstone, local
from remanent.operations.context import PadValues
from remanent.recall.injection import notices, told_first
from remanent.text.boundaries import excerpt
from remanent.text.dated import with_dates
from remanent.text.escaping import escape, escape_lines, escape_name

_NOTHING = Bilingual("There is nothing.", "没有内容。")
_NOTHING_REMEMBERED = Bilingual("Nothing is remembered about that.", "没有相关的记忆。")
_BEST_FIRST = Bilingual("Remembered, most relevant first:", "相关记忆，最相关的在前：")
_NOT_SEARCHED = Bilingual("(Not searched: {names}.)", "（未能检索：{names}。）")
_REMEMBERED = Bilingual("Remembered: {count}.", "已记住 {count} 条。")
_KNOWN_ALREADY = Bilingual(" {count} of them were known already.", "其中 {count} 条此前已经记住。")
_ERASED = Bilingual("(erased)", "（已抹除）")
_MORE = Bilingual("(There is more: cursor {cursor})", "（还有更多：cursor {cursor}）")
_FORGOTTEN = Bilingual(
    "Forgotten: {about} (record {record_id} can be restored)", "已忘记：{about}（记忆 {record_id} 可以恢复）"
)
_RECORD_STATE = Bilingual("{kind}, {status}", "{kind}，{status}")
_NO_SOURCES = Bilingual("Nothing is left of what it came from.", "其来源已不存在。")
_WORD_FOR_WORD = Bilingual("Word for word, oldest first:", "原文，由旧到新：")
_DONE = Bilingual("Done.", "已完成。")
_EMPTY_PAD = Bilingual("The scratchpad is empty.", "草稿板上没有内容。")

_MAX_ITEM_LENGTH = 2000
"""Characters of one item that are shown; the structure has all of them."""


def to_text(answer: object, *, language: Language) -> str:
    """Return an answer as a text; what there are no words for is told as JSON."""
    if isinstance(answer, Page) and answer.items and isinstance(answer.items[0], Entry):
        return _entries(answer, language)
    if isinstance(answer, Page) and not answer.items:
        return _NOTHING.say(language)
    for kind, told in _WRITERS.items():
        if isinstance(answer, kind):
            return told(answer, language)
    # Escaped before it is written: signs that an entity stands for would end a string afterwards.
    return to_json(_escaped_values(to_jsonable_python(answer))).decode()


def _escaped_values(value: JsonValue) -> JsonValue:
    """Escape every text within a JSON value: stored words must not pass for markup of the prompt."""
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, list):
        return [_escaped_values(item) for item in value]
    return {key: _escaped_values(item) for key, item in value.items()} if isinstance(value, dict) else value


def _found(found: Found, language: Language) -> str:
    """Return what was found, each with the id by which it can be asked for again: what tells something first."""
    items = told_first(found.query, found.items)
    if not items:
        return _NOTHING_REMEMBERED.say(language)
    lines = [_BEST_FIRST.say(language)]
    for place, item in enumerate(items, start=1):
        speakers = sorted({name for source in item.sources if (name := escape_name(source.role))})
        lead = ", ".join([f"{local(item.occurred_at):%Y-%m-%d %H:%M}", *notices(item, language), *speakers])
        said = with_dates(excerpt(item.text, _MAX_ITEM_LENGTH), item.occurred_at)
        lines.append(f"{place}. [{item.record_id}] {lead}: {escape_lines(said)}")
    if found.left_out:
        names = ", ".join(left.path for left in found.left_out)
        lines.append(_NOT_SEARCHED.say(language, names=names))
    return "\n".join(lines)


def _receipt(receipt: Receipt, language: Language) -> str:
    """Return how much was remembered; ids would only cost the model tokens."""
    text = _REMEMBERED.say(language, count=len(receipt.entry_ids))
    return text + (_KNOWN_ALREADY.say(language, count=receipt.repeated) if receipt.repeated else "")


def _entries(page: Page[Entry], language: Language) -> str:
    """Return what was said, with numbers by which a model can ask for what came before or after."""
    lines = [
        f"#{entry.seq} {local(entry.occurred_at):%Y-%m-%d %H:%M} {escape_name(entry.role)}: "
        + (_ERASED.say(language) if entry.erased else _shown(entry.text))
        for entry in page.items
        if entry.text or entry.kind is not EntryKind.EVENT  # a bank's own notes say nothing to anybody
    ]
    if page.next is not None:
        lines.append(_MORE.say(language, cursor=page.next))
    return "\n".join(lines)


def _tombstone(tombstone: Tombstone, language: Language) -> str:
    """Return what was forgotten and how to bring it back."""
    return _FORGOTTEN.say(language, about=_shown(tombstone.about), record_id=tombstone.record_id)


def _record(record: Record, language: Language) -> str:
    state = _RECORD_STATE.say(language, kind=record.kind, status=record.status)
    return f"[{record.id}] ({state}) {local(record.occurred_at):%Y-%m-%d %H:%M}: {_shown(record.content)}"


def _deep(found: DeepRetrieved, language: Language) -> str:
    """Return the raw words behind a record with what is in their attachments."""
    if not found.entries:
        return _NO_SOURCES.say(language)
    lines = [_WORD_FOR_WORD.say(language)]
    for entry in found.entries:
        # Whole: whoever asks for the raw words has seen the short ones.
        lines.append(f"- {local(entry.timestamp):%Y-%m-%d %H:%M} {entry.kind}: {escape_lines(entry.text)}")
        for item in entry.attachments:
            told = item.content if item.encoding == "text" else item.problem
            what = f"[{escape_name(item.id)}] {escape_name(item.name)} ({escape_name(item.media_type)})"
            lines.append(f"  {what}: {escape_lines(told, indent='    ')}")
    return "\n".join(lines)


def _pad(pad: PadValues, language: Language) -> str:
    """Return what stands on a scratchpad, a line for each value."""
    if not pad.values:
        return _EMPTY_PAD.say(language)
    values = {key: value if isinstance(value, str) else to_json(value).decode() for key, value in pad.values.items()}
    return "\n".join(f"{escape_name(key)}: {escape_lines(value)}" for key, value in values.items())


def _shown(text: str) -> str:
    return escape_lines(excerpt(text, _MAX_ITEM_LENGTH))


_WRITERS: dict[type, Callable[[Any, Language], str]] = {
    Found: _found,
    Receipt: _receipt,
    Tombstone: _tombstone,
    Record: _record,
    DeepRetrieved: _deep,
    PadValues: _pad,
    Done: lambda _, language: _DONE.say(language),
}
