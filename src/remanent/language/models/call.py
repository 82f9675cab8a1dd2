"""One request to a model and what it said, in our own words: no provider's types."""

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from typing import Any, Literal, TypeVar

from pydantic import SecretStr

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidSettings
from remanent.language.role import ChatMessage, Defaults, Form
from remanent.lightweight import dataclass
from remanent.settings import USUAL_KEYS, ModelChoice, ModelSettings, Provider

_T = TypeVar("_T")

_BASE_URLS: dict[Provider, str] = {
    "openai": "https://api.openai.com/v1",
    "deepseek": "https://api.deepseek.com",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://localhost:11434/v1",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is: a provider, its address and the key for it."""

    provider: Provider
    base_url: str
    key: SecretStr | None = None


@dataclass(frozen=True, slots=True)
class ModelSelection:
    """A model and how it is called."""

    place: Endpoint
    model: str
    output: Literal["auto", "schema", "tool", "json", "text"]
    temperature: float
    top_p: float
    max_tokens: int
    window: int
    vision: bool = False


_ANSWER_SHARE = 7
"""An answer has at most this part of a small window unless settings say otherwise: a small model that loses itself
writes until it is stopped, for minutes on a machine of its size (by hand: 550 tokens of 4,000, all 4,096 of 32,000)."""


def model_selection(settings: ModelSettings, *, role: str, defaults: Defaults) -> ModelSelection:
    """Return what settings choose for a role: its own, then its tier's, then the general; then the role's defaults."""
    layers = [settings.roles.get(role), settings.tiers.get(defaults.tier.value), settings]
    given = [layer for layer in layers if layer is not None]
    place, model = _place(given, role=role)
    window = next((layer.window for layer in given if layer.window is not None), None)
    most = defaults.max_tokens if window is None else min(defaults.max_tokens, max(1, window // _ANSWER_SHARE))
    return ModelSelection(
        place=place,
        model=model,
        output=_first(*(layer.output for layer in given), "auto"),
        temperature=_first(*(layer.temperature for layer in given), defaults.temperature),
        top_p=_first(*(layer.top_p for layer in given), defaults.top_p),
        max_tokens=_first(*(layer.max_tokens for layer in given), most),
        window=window or defaults.window,
        vision=_first(*(layer.vision for layer in given), False),
    )


def check_roles(settings: ModelSettings, *, known: Iterable[str]) -> None:
    """Raise `InvalidSettings` when settings choose a model for a role that there is not."""
    names = list(known)
    for role in settings.roles:
        if role not in names:
            close = get_close_matches(role, names, n=1)
            nearest = f", the nearest is {close[0]}" if close else ""
            raise InvalidSettings(f"model.roles.{role}: there is no such role{nearest}. There are: {', '.join(names)}")


def _place(layers: Sequence[ModelChoice], *, role: str) -> tuple[Endpoint, str]:
    """Take provider, address and key from one layer together: a key goes only where it was given for."""
    names = [layer.name for layer in layers]
    for number, layer in enumerate(layers):
        if layer.provider is None and layer.base_url is None:
            continue
        provider = layer.provider or "local"
        name = next((name for name in names[: number + 1] if name), None)
        key = next((layer.api_key for layer in layers[: number + 1] if layer.api_key), None)
        base_url = layer.base_url or _BASE_URLS.get(provider)
        if base_url is None:
            raise InvalidSettings("the provider `local` needs an address: set model.base_url")
        if name is None:
            raise InvalidSettings(f"no model is set for the role {role}: set model.name to one of {provider}'s models")
        if key is None and provider in USUAL_KEYS:
            raise InvalidSettings(f"{provider} needs a key: set {USUAL_KEYS[provider]} or model.api_key")
        return Endpoint(provider=provider, base_url=base_url, key=key), name
    raise InvalidSettings("no language model provider is set: set model.provider, or set engine to offline")


def _first(*values: _T | None) -> _T:
    return next(value for value in values if value is not None)


Output = Literal["schema", "tool", "json", "text"]
"""How an answer is asked for: by JSON schema, as a tool call, as any JSON, or in words alone."""

Finish = Literal["stop", "length", "filter", "tool", "other"]
"""Why a model stopped: it was done, at its limit, its answer was withheld, it wants a tool."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What a model is asked."""

    model: str
    instructions: str
    turns: tuple[ChatMessage, ...]
    name: str
    """What the answer is called where it needs a name."""
    schema: dict[str, Any] | None = field(default=None, repr=False)
    """What the answer must fit; none when it is plain text."""
    output: Output = "text"
    temperature: float = 0.6
    top_p: float = 0.95
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered and what that took."""

    text: str
    """The arguments, when the answer came as the tool call that was asked for."""
    finish: Finish = "stop"
    tool: str = ""
    """A tool that it wants and that it was not offered."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """What it cost, by the prices that pydantic-ai brings along; `None` where they do not list the model."""


_AGAIN: dict[Form, Bilingual] = {
    "json": Bilingual(
        "Your reply could not be used: {problem}. "
        "Reply again, with one JSON object of the form that was asked for and nothing else.",
        "你的回复无法使用：{problem}。请重新回复，只写一个符合要求的 JSON 对象，不要写任何其他内容。",
    ),
    "text": Bilingual(
        "Your reply could not be used: {problem}. Write the whole reply again without that mistake.",
        "你的回复无法使用：{problem}。请改正后重新写出完整的回复。",
    ),
}


def ask_again(call: ModelCall, answer: str, problem: str, *, form: Form, language: Language, longest: int) -> ModelCall:
    """Return the call that shows a model its answer, in so many characters, and says what is wrong with it.

    One that said nothing is shown none: what stands in its place would be taken for an answer, and repeated.
    """
    told, shown = _AGAIN[form][language].format(problem=problem), answer.strip()
    if not shown:
        *before, last = call.turns
        return replace(call, turns=(*before, replace(last, text=f"{last.text}\n{told}")))
    if len(shown) > longest:
        half = longest // 2
        shown = f"{shown[:half]} … {shown[-half:]}"
    return replace(call, turns=(*call.turns, ChatMessage("assistant", shown), ChatMessage("user", told)))
