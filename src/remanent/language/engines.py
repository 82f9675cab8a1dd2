"""Which engine does the language work, and how each role is done by it."""

import logging
from importlib.util import find_spec
from typing import Any, Literal

from remanent.embedding import CachedEmbedder, Embedder
from remanent.errors import LanguageError, MissingDependency, ModelDenied, ModelRejected, Refused
from remanent.language.engine import Answer, Engine
from remanent.language.models import ModelEngine, check_roles
from remanent.language.models.call import choose
from remanent.language.role import Form, ReplyT, RequestT, ResponseT, Role, Tier, Toolbox
from remanent.language.roles import ROLES
from remanent.model import Maker, Model, RoleFigures
from remanent.settings import Settings
from remanent.text.tokens import TokenCounter

_logger = logging.getLogger(__name__)


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


class BudgetedEngine(Engine):
    """Runs roles on another engine within a budget of tokens; what it cannot do or pay for is done without a model.

    A model that refuses a request will refuse it again, and one whose answer cannot be used was told why and asked
    again. Doing the role offline is then better than not doing it: with a model nothing is to be worse than without.
    A key or an account that is refused is the user's to mend, and raised.
    """

    def __init__(self, engine: Engine, offline: OfflineEngine, *, max_tokens: int) -> None:
        self.name = engine.name
        self._engine = engine
        self._offline = offline
        self._max_tokens = max_tokens
        self.tokens = 0
        """Tokens of requests and answers so far, those of failed attempts included."""

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left, so that roles are done offline."""
        return self.tokens >= self._max_tokens

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the response of the engine, or of the role's offline counterpart."""
        try:
            return await self.run_whole(role, request)
        except ModelDenied:
            raise
        except ModelRejected as error:
            _logger.warning("%s is done without a model: %s", role.name, error)
            return await self.run_offline(role, request)

    async def run_whole(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Do the same and raise it when the request is rejected, for whoever can ask for less."""
        if self.is_spent:
            return await self.run_offline(role, request)
        try:
            answer = await self._engine.run(role, request)
        except LanguageError as error:
            self.tokens += error.tokens
            if not isinstance(error, Refused):
                raise
            _logger.warning("%s is done without a model: %s", role.name, error)
            return await self.run_offline(role, request)
        self.tokens += answer.usage.input_tokens + answer.usage.output_tokens
        return answer

    async def run_offline(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the response of a role's offline counterpart."""
        return await self._offline.run(role, request)

    @property
    def figures(self) -> tuple[RoleFigures, ...]:
        """What each role took of the engine."""
        return self._engine.figures

    def sees(self, role: Role[RequestT, ReplyT, ResponseT]) -> bool:
        """Tell whether the engine can be shown pictures and there is something left to pay for it."""
        return not self.is_spent and self._engine.sees(role)

    def window(self, role: Role[RequestT, ReplyT, ResponseT]) -> int:
        """Return the engine's window."""
        return self._engine.window(role)

    def counter(self, role: Role[RequestT, ReplyT, ResponseT]) -> TokenCounter:
        """Return the engine's counter."""
        return self._engine.counter(role)

    async def close(self) -> None:
        """Do nothing: the engine belongs to whoever made it."""


async def run_or_offline(
    engine: Engine, role: Role[RequestT, ReplyT, ResponseT], request: RequestT, toolbox: Toolbox
) -> Answer[ResponseT]:
    """Return the response of an engine, or of the role's offline counterpart where the model does not do its part.

    For whoever waits for an answer that can be given without a model: `made_by` says which it was.
    """
    try:
        return await engine.run(role, request)
    except LanguageError as error:
        _logger.warning("%s is done without a model: %s", role.name, error)
        return await OfflineEngine(toolbox).run(role, request)


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
