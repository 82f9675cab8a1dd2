"""Which engine does the language work, and how each role is done by it."""

from importlib.util import find_spec
from typing import Any, Literal

from remanent.embedding import CachedEmbedder, Embedder
from remanent.errors import MissingDependency
from remanent.language.engine import Answer, Engine
from remanent.language.models import ModelEngine, check_roles
from remanent.language.models.call import choose
from remanent.language.role import Form, ReplyT, RequestT, ResponseT, Role, Tier, Toolbox
from remanent.language.roles import ROLES
from remanent.model import Maker, Model
from remanent.settings import Settings


class OfflineEngine(Engine):
    """Runs roles without a model: simpler than with one, never out of reach, and free."""

    name = "offline"

    def __init__(self, toolbox: Toolbox | None = None) -> None:
        self._toolbox = toolbox or Toolbox()

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the response of a role's offline counterpart."""
        value = await role.offline(request, self._toolbox)
        return Answer(value, Maker(role=role.name, engine=self.name, version=role.version))

    async def close(self) -> None:
        """Nothing is held open; the embedder belongs to whoever made it."""


class RoleSetup(Model):
    """How a role is done under the settings in force."""

    role: str
    version: str
    engine: Literal["model", "offline"]
    tier: Tier
    form: Form
    provider: str | None = None
    model: str | None = None
    temperature: float
    top_p: float
    max_tokens: int
    window: int


def open_engine(settings: Settings, *, embedder: Embedder | None) -> Engine:
    """Return the engine that settings choose: a model's where one is named, else the one that needs none."""
    check_roles(settings.model, known=ROLES)
    if settings.uses_model:
        _check_installed()
        return ModelEngine(settings.model)
    # Roles compare the same statements again and again: a bank's new node with candidates that were read before.
    if embedder is not None and not isinstance(embedder, CachedEmbedder):
        embedder = CachedEmbedder(embedder)
    return OfflineEngine(Toolbox(embedder=embedder))


def _check_installed() -> None:
    """Say at once that the packages which speak to providers are missing, not when the first job fails."""
    missing = [module for module in ("pydantic_ai", "openai", "anthropic") if find_spec(module) is None]
    if missing:
        raise MissingDependency(f"asking a model needs {', '.join(missing)}: pip install 'remanent[models]'")


def role_setups(settings: Settings) -> list[RoleSetup]:
    """Return how every role is done."""
    check_roles(settings.model, known=ROLES)
    return [_setup(role, settings) for role in ROLES.values()]


def _setup(role: Role[Any, Any, Any], settings: Settings) -> RoleSetup:
    defaults = role.defaults
    choice = choose(settings.model, role=role.name, defaults=defaults) if settings.uses_model else None
    # Without a model these are what one would be called with.
    called = defaults if choice is None else choice
    return RoleSetup(
        role=role.name,
        version=role.version,
        engine="offline" if choice is None else "model",
        tier=defaults.tier,
        form=role.form,
        provider=None if choice is None else choice.place.provider,
        model=None if choice is None else choice.model,
        temperature=called.temperature,
        top_p=called.top_p,
        max_tokens=called.max_tokens,
        window=called.window,
    )
