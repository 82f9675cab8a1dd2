"""A role of each form and an engine to run them on, for tests that are about the engine and not about a role."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language import Role
from remanent.language.models.engine import ModelEngine
from remanent.language.role import Defaults, Prompt, TextReply, Tier
from remanent.model import Model, RoleFigures
from remanent.model.base import Share, Text
from remanent.settings import ModelSettings
from remanent.text.scripts import working_language
from tests.language.scripted.server import ScriptedServer

if TYPE_CHECKING:
    from remanent.language.role import Toolbox

KEY = "canary-0123456789abcdef"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class PickRequest(Model):
    question: Text
    options: tuple[Text, ...]


class PickReply(Model):
    option: Text
    confidence: Share
    reasons: tuple[Text, ...] = ()


class PickResponse(Model):
    option: Text
    confidence: Share
    reasons: tuple[Text, ...]


class Pick(Role[PickRequest, PickReply, PickResponse]):
    """Picks one of the options that it is shown."""

    name = "pick"
    version = "7"
    defaults = Defaults(tier=Tier.INTENT, temperature=0.2, top_p=0.8, max_tokens=200, window=1000)
    request = PickRequest
    reply = PickReply
    instructions = Bilingual("Pick an option.", "选择一项。")
    form_shown = Bilingual(
        '{"option": "[option]", "confidence": 0.5, "reasons": ["[reasons]"]}',
        '{"option": "【选项】", "confidence": 0.5, "reasons": ["【理由】"]}',
    )

    def language(self, request: PickRequest) -> Language:
        return working_language(request.question)

    def material(self, request: PickRequest, *, language: Language) -> list[str]:
        return [f"{request.question}\n{', '.join(request.options)}"]

    def read(self, request: PickRequest, reply: PickReply) -> PickResponse:
        if reply.option not in request.options:
            raise Refused("the option is none of those that were shown")
        return PickResponse(option=reply.option, confidence=reply.confidence, reasons=reply.reasons)

    async def offline(self, request: PickRequest, toolbox: "Toolbox") -> PickResponse:
        return PickResponse(option=request.options[0], confidence=0, reasons=())


class TellRequest(Model):
    question: Text


class TellResponse(Model):
    story: Text


class Tell(Role[TellRequest, TextReply, TellResponse]):
    """Tells something in plain text."""

    name = "tell"
    defaults = Defaults()
    form = "text"
    request = TellRequest
    reply = TextReply

    def language(self, request: TellRequest) -> Language:
        return working_language(request.question)

    def prompt(self, request: TellRequest, *, language: Language) -> Prompt:
        return Prompt(instructions="Tell a story.", content=request.question)

    def read(self, request: TellRequest, reply: TextReply) -> TellResponse:
        if "nonsense" in reply.text:
            raise Refused("the story makes no sense")
        return TellResponse(story=reply.text)

    async def offline(self, request: TellRequest, toolbox: "Toolbox") -> TellResponse:
        return TellResponse(story="")


PICK = Pick()
TELL = Tell()
QUESTION = PickRequest(question="Which is red?", options=("blood", "grass"))
GOOD = {"option": "blood", "confidence": 0.9, "reasons": ["colour"]}
ANSWER = PickResponse(option="blood", confidence=0.9, reasons=("colour",))


@dataclass
class Patience:
    """Time that passes only while somebody waits, and the waits."""

    seconds: float = 1000.0
    waits: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


def settings_for(base_url: str, **changes: Any) -> ModelSettings:
    values = {"provider": "local", "name": "scripted", "api_key": KEY, "base_url": base_url}
    return ModelSettings.model_validate({**values, **changes})


def make_engine(settings: ModelSettings, *, patience: Patience | None = None) -> ModelEngine:
    patience = patience or Patience()
    return ModelEngine(settings, clock=lambda: NOON, now=patience.now, sleep=patience.sleep, chance=lambda: 0.5)


@asynccontextmanager
async def engine_at(
    place: ScriptedServer | str, *, patience: Patience | None = None, **changes: Any
) -> AsyncIterator[ModelEngine]:
    """An engine whose model is at a scripted server, or at an address."""
    base_url = place if isinstance(place, str) else place.base_url
    engine = make_engine(settings_for(base_url, **changes), patience=patience)
    try:
        yield engine
    finally:
        await engine.close()


def taken(engine: ModelEngine, role: str) -> RoleFigures:
    """What a role took of an engine."""
    return next(figures for figures in engine.figures if figures.role == role)
