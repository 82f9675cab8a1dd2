"""`remember`: one message from the command line, or many from a file."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from remanent._sync import Agent, Memory
from remanent.cli import words
from remanent.cli.input import STANDARD, read_lines, read_text, waits
from remanent.cli.place import Place
from remanent.cli.screen import Screen, begin, local_time
from remanent.errors import InvalidInput
from remanent.model import Message, Receipt

BATCH = 256
"""Messages that are made durable together."""

Told = tuple[str | None, Message]
"""A message and its session."""


def remember(
    place: Place,
    *,
    texts: Sequence[str],
    message: dict[str, Any],
    file: Path | None,
    session: str | None,
    wait: bool,
) -> None:
    """Keep what was given, print the receipt, then wait for the index."""
    screen, settings = begin(place)
    told = _told(screen, texts, message=message, file=file, session=session)
    with place.open(settings) as memory:
        receipt = _keep(screen, place.agent_of(memory), told)
        show_receipt(screen, receipt)
        if wait:
            settle(screen, memory)


def _told(
    screen: Screen, texts: Sequence[str], *, message: dict[str, Any], file: Path | None, session: str | None
) -> list[Told]:
    if file is not None:
        if texts:
            raise typer.BadParameter(screen.word(words.TEXT_AND_FILE))
        return list(read_messages_file(file, session=session))
    if list(texts) == [str(STANDARD)] or (not texts and waits()):
        content = read_text(STANDARD)
    elif texts:
        content = " ".join(texts)
    else:
        raise typer.BadParameter(screen.word(words.NO_TEXT))
    return [(session, Message.model_validate({**message, "content": content}))]


def read_messages_file(file: Path, *, session: str | None) -> Iterator[Told]:
    """Yield the messages of a file, all of them checked before the first is kept."""
    for number, line in enumerate(read_lines(file), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise InvalidInput("a JSON object with role and content was expected")
            own = value.pop("session", None)
            if own is not None and not isinstance(own, str):
                raise InvalidInput("session must be text")
            yield own if own is not None else session, Message.model_validate(value)
        except ValueError as error:
            raise InvalidInput(f"line {number} of {file} is no JSON: {error}") from error
        except InvalidInput as error:
            raise InvalidInput(f"line {number} of {file}: {error}") from error


def _keep(screen: Screen, agent: Agent, told: Sequence[Told]) -> Receipt:
    """Keep messages in their order, a batch of one session at a time, and return one receipt for all."""
    if not told:
        raise InvalidInput("there is no message in this file")
    receipts = []
    with screen.meter(words.REMEMBERING, total=len(told)) as meter:
        for session, group in groupby(told, key=lambda one: one[0]):
            messages = [message for _, message in group]
            for start in range(0, len(messages), BATCH):
                batch = messages[start : start + BATCH]
                receipts.append(agent.remember(batch, session=session))
                meter.advance(len(batch))
    return Receipt(
        entry_ids=tuple(entry_id for receipt in receipts for entry_id in receipt.entry_ids),
        last_seq=receipts[-1].last_seq,
        repeated=sum(receipt.repeated for receipt in receipts),
        recorded_at=receipts[-1].recorded_at,
    )


def show_receipt(screen: Screen, receipt: Receipt) -> None:
    """Say what is durable now; the ids are the data."""
    if screen.as_json:
        screen.give(receipt)
        return
    screen.show("\n".join(receipt.entry_ids))
    screen.tell(words.REMEMBERED, count=len(receipt.entry_ids), at=local_time(receipt.recorded_at))
    if receipt.repeated:
        screen.tell(words.REPEATED, count=receipt.repeated)


def settle(screen: Screen, memory: Memory) -> None:
    """Wait for the index, and show that there is something to wait for."""
    with screen.indexing() as report:
        memory.settle(on_progress=report)
