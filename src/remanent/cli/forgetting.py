"""`forget`, `restore` and `erase`: out of mind, back to mind, gone."""

from collections.abc import Sequence

import typer

from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.place import Place
from remanent.cli.reading import QUOTED
from remanent.cli.remembering import settle
from remanent.cli.screen import begin
from remanent.text.excerpt import excerpt


def forget(place: Place, record_ids: Sequence[str], *, reason: str) -> None:
    """Forget records and show their tombstones."""
    screen, settings = begin(place)
    with place.open(settings) as memory:
        agent = place.agent_of(memory)
        tombstones = [agent.forget(record_id, reason=reason) for record_id in record_ids]
    if place.as_json:
        screen.give(tombstones)
        return
    for stone in tombstones:
        about = excerpt(stone.about, QUOTED)
        screen.show(screen.word(words.FORGOTTEN, about=about, size=stone.size, record_id=stone.record_id))


def restore(place: Place, record_ids: Sequence[str]) -> None:
    """Restore records and show them."""
    screen, settings = begin(place)
    with place.open(settings) as memory:
        agent = place.agent_of(memory)
        records = [agent.restore(record_id) for record_id in record_ids]
        if place.as_json:
            screen.give(records)
        else:
            for record in records:
                screen.show(screen.word(words.RESTORED, about=excerpt(record.content, QUOTED)))
        settle(screen, memory)


def erase(
    place: Place,
    *,
    entry_ids: Sequence[str],
    record_ids: Sequence[str],
    session: str | None,
    everything: bool,
    yes: bool,
) -> None:
    """Ask, then erase, then say what is gone."""
    screen, settings = begin(place)
    if not (entry_ids or record_ids or session or everything):
        raise typer.BadParameter(screen.word(words.NOTHING_TO_ERASE))
    if everything:
        what = screen.word(words.ERASE_EVERYTHING, agent=place.agent)
    elif session:
        what = screen.word(words.ERASE_SESSION, agent=place.agent, session=session)
    else:
        what = screen.word(words.ERASE_SOME, agent=place.agent, entries=len(entry_ids), records=len(record_ids))
    if not yes and not screen.ask(screen.word(words.ASK_ERASE, what=what)):
        screen.tell(words.NOT_ERASED)
        raise typer.Exit(Exit.NO)
    with place.open(settings) as memory:
        erased = place.agent_of(memory).erase(
            entry_ids=entry_ids, record_ids=record_ids, session=session, everything=everything
        )
    if place.as_json:
        screen.give(erased)
        return
    screen.show(screen.word(words.ERASED, entries=len(erased.entry_ids), records=len(erased.record_ids)))
    if erased.backups:
        screen.tell(words.ERASED_BACKUPS, count=erased.backups)
