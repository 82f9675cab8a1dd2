"""What a workspace does with the text of its files, for the measurement of how its work grows."""

from datetime import UTC, datetime

from remanent.workspace import hooks, index
from remanent.workspace.hooks import Gone
from tests.growth import Work
from tests.hostile import lines

MODULES = ("index", "hooks")
_NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


def _marked(text: str) -> str:
    """Return a day's file with as many bullets of ours."""
    return hooks.with_facts(None, lines(text), at=_NOON, session="s")


ADAPTERS: dict[str, Work] = {
    "workspace.hooks.own_bullets": lambda text: hooks.own_bullets(_marked(text).splitlines()),
    "workspace.hooks.with_extracted": lambda text: hooks.with_extracted(text, lines(text, 8)),
    "workspace.hooks.without_bullets": lambda text: Gone(lines(text, 50)).without(_marked(text)),
    "workspace.hooks.compacted, of bullets": lambda text: hooks.compacted(_marked(text)),
    "workspace.hooks.facts_of": lambda text: hooks.facts_of(
        [{"role": "user", "content": f"x{text.encode(errors='replace').decode()}"}] * 40
    ),
    "workspace.hooks.merged_facts": lambda text: hooks.merged_facts(text, lines(text, 8)),
    "workspace.index.passages_of, of sections": lambda text: index.passages_of(text.replace(" ", "\n# a\nb")),
}
