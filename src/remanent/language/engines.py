"""The engines there are (offline, hybrid, within a budget), which of them settings choose, and how it does each role.

The port is in `role.py`; models are asked in `models/`.

A role that a model refuses or cannot answer is done offline everywhere: a refused role failed its step or set a text
aside. A rejected key is still raised, since nobody would else learn of it.
"""

import logging
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Literal

from remanent.embedding import CachedEmbedder, Embedder
from remanent.errors import LanguageError, MissingDependency, ModelDenied, ModelRejected, Refused
from remanent.language.role import Answer, Engine, Form, ReplyT, RequestT, ResponseT, Role, Tier, Toolbox, Usage
from remanent.model import Maker, Model, RoleFigures
from remanent.settings import ModelSettings, Settings
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


class HybridEngine(Engine):
    """Has each role done by another engine or without a model, as settings say; what a model cannot do, without one.

    A model that refuses a request will refuse it again, and one whose answer cannot be used was told why and asked
    again. Doing the role offline is then better than not doing it: with a model nothing is to be worse than without.
    A key or an account that is refused is the user's to mend, and raised; so is a model that is out of reach, for
    whoever can wait.
    """

    def __init__(self, engine: Engine, offline: OfflineEngine, *, offline_roles: Collection[str] = ()) -> None:
        self.name = engine.name
        self._engine = engine
        self._offline = offline
        self._offline_roles = frozenset(offline_roles)

    def is_offline(self, role: Role[RequestT, ReplyT, ResponseT]) -> bool:
        """Tell whether a role is done without a model."""
        return role.name in self._offline_roles

    def is_without_model(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> bool:
        """Tell whether a request is done without a model: by settings, or because code decides it."""
        return self.is_offline(role) or not role.needs_model(request)

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the response of the engine, or of the role's offline counterpart."""
        try:
            return await self.run_whole(role, request)
        except ModelDenied:
            raise
        except ModelRejected as error:
            return await self._instead(role, request, error)

    async def run_whole(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Do the same and raise it when the request is rejected, for whoever can ask for less."""
        if self.is_without_model(role, request):
            return await self.run_offline(role, request)
        try:
            return await self._engine.run_whole(role, request)
        except Refused as error:
            return await self._instead(role, request, error)

    async def _instead(
        self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT, error: LanguageError
    ) -> Answer[ResponseT]:
        """Do a role without a model, after it took some tokens in vain."""
        _logger.warning("%s is done without a model: %s", role.name, error)
        answer = await self.run_offline(role, request)
        return replace(answer, usage=Usage(input_tokens=error.tokens))

    async def run_offline(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the response of a role's offline counterpart."""
        return await self._offline.run(role, request)

    @property
    def figures(self) -> tuple[RoleFigures, ...]:
        """What each role took of the engine."""
        return self._engine.figures

    def sees(self, role: Role[RequestT, ReplyT, ResponseT]) -> bool:
        """Tell whether the engine can be shown pictures."""
        return not self.is_offline(role) and self._engine.sees(role)

    def window(self, role: Role[RequestT, ReplyT, ResponseT]) -> int:
        """Return the engine's window."""
        return (self._offline if self.is_offline(role) else self._engine).window(role)

    def counter(self, role: Role[RequestT, ReplyT, ResponseT]) -> TokenCounter:
        """Return the engine's counter."""
        return (self._offline if self.is_offline(role) else self._engine).counter(role)

    async def close(self) -> None:
        """Let go of the engine's connections."""
        await self._engine.close()


class BudgetedEngine(HybridEngine):
    """Runs roles within a budget of tokens; what cannot be paid for any more is done without a model."""

    def __init__(self, engine: Engine, offline: OfflineEngine, *, max_tokens: int) -> None:
        super().__init__(engine, offline)
        self._max_tokens = max_tokens
        self.tokens = 0
        """Tokens of requests and answers so far, those of failed attempts included."""
        self.fell_back = Counter[str]()
        """How often each role was done without the model that it is given to: it failed, or nothing was left."""

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left, so that roles are done offline."""
        return self.tokens >= self._max_tokens

    def is_without_model(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> bool:
        """Leave that to the engine that is paid for."""
        return False

    async def run_whole(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Do the same, and count what it takes and whether the role fell back."""
        inner = self._engine
        is_meant = inner.name == "offline" or (
            isinstance(inner, HybridEngine) and inner.is_without_model(role, request)
        )
        if self.is_spent:
            return await (self.run_offline if is_meant else self.run_fallen)(role, request)
        try:
            answer = await super().run_whole(role, request)
        except LanguageError as error:
            self.tokens += error.tokens
            raise
        self.tokens += answer.usage.input_tokens + answer.usage.output_tokens
        if answer.made_by.engine == self._offline.name and not is_meant:
            self.fell_back[role.name] += 1
        return answer

    async def run_fallen(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Do a role offline for whoever asked for less and less and was rejected all the same, and count it."""
        self.fell_back[role.name] += 1
        return await self.run_offline(role, request)

    async def run_instead(
        self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT, error: LanguageError
    ) -> Answer[ResponseT]:
        """Do a role offline whose model is out of reach: a task is to have the answer that it has without a model."""
        if isinstance(error, ModelDenied):
            raise error
        return await self._instead(role, request, error)

    async def _instead(
        self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT, error: LanguageError
    ) -> Answer[ResponseT]:
        self.fell_back[role.name] += 1
        return await super()._instead(role, request, error)

    def sees(self, role: Role[RequestT, ReplyT, ResponseT]) -> bool:
        """Tell whether the engine can be shown pictures and there is something left to pay for it."""
        return not self.is_spent and super().sees(role)

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
    if settings.model.roles:
        from remanent.language.models.call import check_roles
        from remanent.language.roles import all_roles

        check_roles(settings.model, known=all_roles())
    # Roles compare the same statements again and again: a bank's new node with candidates that were read before.
    if embedder is not None and not isinstance(embedder, CachedEmbedder):
        embedder = CachedEmbedder(embedder)
    offline = OfflineEngine(Toolbox(embedder=embedder))
    if not settings.uses_model:
        return offline
    # Said at once, and not when the first job fails.
    missing = [module for module in ("pydantic_ai", "openai", "anthropic") if find_spec(module) is None]
    if missing:
        raise MissingDependency(f"using a model needs {', '.join(missing)}: pip install 'remanent[models]'")
    from remanent.language.models.engine import ModelEngine
    from remanent.language.roles import all_roles

    without = [role.name for role in all_roles().values() if is_offline(settings.model, role)]
    return HybridEngine(ModelEngine(settings.model), offline, offline_roles=without)


def is_offline(settings: ModelSettings, role: Role[Any, Any, Any]) -> bool:
    """Tell whether settings have a role done without a model: the role's own word, else its tier's."""
    layers = (settings.roles.get(role.name), settings.tiers.get(role.defaults.tier.value))
    said = (layer.engine for layer in layers if layer is not None and layer.engine is not None)
    return next(said, "model") == "offline"


def role_setups(settings: Settings) -> list[RoleSetup]:
    """Return how every role is done."""
    from remanent.language.models.call import check_roles
    from remanent.language.roles import all_roles

    check_roles(settings.model, known=all_roles())
    return [_setup(role, settings) for role in all_roles().values()]


def _setup(role: Role[Any, Any, Any], settings: Settings) -> RoleSetup:
    from remanent.language.models.call import model_selection

    defaults = role.defaults
    by_model = settings.uses_model and not is_offline(settings.model, role)
    choice = model_selection(settings.model, role=role.name, defaults=defaults) if by_model else None
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
