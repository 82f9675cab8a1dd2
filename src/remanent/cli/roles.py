"""`roles` and `try`: who does the language work, and one piece of it by hand."""

import asyncio
import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from rich.table import Table

from remanent.cli import words
from remanent.cli.input import read_text
from remanent.cli.place import Place
from remanent.cli.screen import Screen, begin
from remanent.embedding import open_embedder
from remanent.errors import InvalidInput
from remanent.language import Answer, Role
from remanent.language.engines import RoleSetup, open_engine, role_setups
from remanent.language.roles import ROLES
from remanent.settings import Settings


def show(place: Place) -> None:
    """Show every role with its engine, model and settings."""
    screen, settings = begin(place)
    setups = role_setups(settings)
    if place.as_json:
        screen.give(setups)
    else:
        screen.show(_table(screen, setups))
        if not settings.uses_model:
            screen.tell(words.NO_MODEL)


def _table(screen: Screen, setups: list[RoleSetup]) -> Table:
    headings = (words.ROLE, words.ENGINE, words.MODEL, words.TIER, words.TEMPERATURE, words.TOP_P)
    table = Table(*(screen.word(heading) for heading in headings))
    for heading in (words.MAX_TOKENS, words.WINDOW):
        table.add_column(screen.word(heading), justify="right")
    for setup in setups:
        model = "–" if setup.model is None else f"{setup.model} ({setup.provider})"
        numbers = (f"{setup.temperature:g}", f"{setup.top_p:g}", str(setup.max_tokens), str(setup.window))
        table.add_row(setup.role, setup.engine, model, setup.tier, *numbers)
    return table


def attempt(place: Place, name: str, *, file: Path, schema: bool, prompt: bool) -> None:
    """Run one role on a request in JSON; or show what a request is, or what a model would be told."""
    screen, settings = begin(place)
    role = _role(name)
    if schema:
        screen.give(role.request.model_json_schema())
        return
    request = role.request.from_json(read_text(file))
    if prompt:
        _show_prompt(screen, role, request)
        return
    answer = asyncio.run(_run(settings, role, request))
    if place.as_json:
        screen.give({"response": answer.value, "made_by": answer.made_by, "usage": answer.usage})
    else:
        screen.show(json.dumps(answer.value.model_dump(mode="json"), ensure_ascii=False, indent=2))
        usage = answer.usage
        tokens = {"input": usage.input_tokens, "output": usage.output_tokens}
        screen.tell(words.ROLE_DONE, style="dim", role=role.name, engine=answer.made_by.engine, **tokens)


def _role(name: str) -> Role[Any, Any, Any]:
    if name not in ROLES:
        close = get_close_matches(name, ROLES, n=1)
        nearest = f"; did you mean {close[0]}?" if close else ""
        raise InvalidInput(f"there is no role {name!r}{nearest} The roles are: {', '.join(ROLES)}")
    return ROLES[name]


def _show_prompt(screen: Screen, role: Role[Any, Any, Any], request: Any) -> None:
    told = role.prompt(request, tongue=role.tongue(request))
    turns: list[dict[str, JsonValue]] = [{"speaker": "user", "text": told.content}]
    turns += [{"speaker": turn.speaker, "text": turn.text} for turn in told.turns]
    if screen.as_json:
        screen.give({"instructions": told.instructions, "turns": turns})
    else:
        screen.show(f"[instructions]\n{told.instructions}")
        for turn in turns:
            screen.show(f"\n[{turn['speaker']}]\n{turn['text']}")


async def _run(settings: Settings, role: Role[Any, Any, Any], request: Any) -> Answer[Any]:
    engine = open_engine(settings, embedder=open_embedder(settings.embedder, embedding=settings.embedding))
    try:
        return await engine.run(role, request)
    finally:
        await engine.close()
