"""`migrate` and `move`: the care of a store that is a server, and the way from one store to another."""

import asyncio

from remanent.cli import words
from remanent.cli.options import CommonOptions
from remanent.cli.screen import begin
from remanent.settings import load_settings
from remanent.stores.registry import Stores, migrate_store, open_stores
from remanent.stores.relocation import MovedAgent, move_agents, move_shelf, require_two


def migrate(place: CommonOptions, *, dry_run: bool) -> None:
    """Bring the tables of the configured store up to date, or say what would be done."""
    screen, settings = begin(place)
    before, after = asyncio.run(migrate_store(settings, dry_run=dry_run))
    if place.as_json:
        screen.give({"before": before, "after": before if dry_run else after, "newest": after, "dry_run": dry_run})
    elif before == after:
        screen.tell(words.UP_TO_DATE, step=after)
    else:
        screen.tell(words.WOULD_MIGRATE if dry_run else words.MIGRATED, before=before, after=after)


def move(place: CommonOptions, *, source: str, target: str) -> None:
    """Copy every agent from one store to another, and prove it."""
    screen, _ = begin(place)
    require_two(source, target)
    moved = asyncio.run(_move(_open(place, source), _open(place, target)))
    if place.as_json:
        screen.give([{**_plain(one), "counts": dict(one.counts)} for one in moved])
        return
    headings = [screen.word(phrase) for phrase in (words.AGENT, words.ENTRIES, words.RECORDS, words.FILES, words.SEAL)]
    rows = [
        (str(one.scope), str(one.counts["entry"]), str(one.counts["record"]), str(one.files), one.sha256[:16])
        for one in moved
    ]
    screen.rows(headings, rows)
    screen.tell(words.MOVED, count=sum(one.copied for one in moved), there=sum(not one.copied for one in moved))


def _open(place: CommonOptions, url: str) -> Stores:
    """Open another store than the configured one; raw files are kept as the settings say."""
    return open_stores(load_settings(**{**place.overrides(), "store": url}))


async def _move(source: Stores, target: Stores) -> list[MovedAgent]:
    """Copy the agents, then what belongs to none; both ends are closed whatever happens."""
    try:
        moved = [one async for one in move_agents(source, target)]
        await move_shelf(source.shelf, target.shelf)
        return moved
    finally:
        for stores in (source, target):
            await stores.vectors.close()
            await stores.store.close()
            stores.shelf.close()


def _plain(one: MovedAgent) -> dict[str, object]:
    return {"agent": str(one.scope), "sha256": one.sha256, "files": one.files, "copied": one.copied}
