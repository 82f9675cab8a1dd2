"""Which model does a role's work, and how it is called: what settings say, from the role to the general."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeVar

from pydantic import SecretStr

from remanent.errors import InvalidSettings
from remanent.language.role import Defaults
from remanent.settings import USUAL_KEYS, ModelChoice, ModelSettings, Provider

_T = TypeVar("_T")

BASE_URLS: dict[Provider, str] = {
    "openai": "https://api.openai.com/v1",
    "deepseek": "https://api.deepseek.com",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://localhost:11434/v1",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model is: a provider, its address and the key for it."""

    provider: Provider
    base_url: str
    key: SecretStr | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A model and how it is called."""

    place: Place
    model: str
    output: Literal["auto", "schema", "tool", "json", "text"]
    temperature: float
    top_p: float
    max_tokens: int
    window: int
    vision: bool = False


def choose(settings: ModelSettings, *, role: str, defaults: Defaults) -> Choice:
    """Return what settings choose for a role: its own, then its tier's, then the general; then the role's defaults."""
    layers = [settings.roles.get(role), settings.tiers.get(defaults.tier.value), settings]
    given = [layer for layer in layers if layer is not None]
    place, model = _place(given, role=role)
    return Choice(
        place=place,
        model=model,
        output=_first(*(layer.output for layer in given), "auto"),
        temperature=_first(*(layer.temperature for layer in given), defaults.temperature),
        top_p=_first(*(layer.top_p for layer in given), defaults.top_p),
        max_tokens=_first(*(layer.max_tokens for layer in given), defaults.max_tokens),
        window=_first(*(layer.window for layer in given), defaults.window),
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


def _place(layers: list[ModelChoice], *, role: str) -> tuple[Place, str]:
    """Take provider, address and key from one layer together: a key goes only where it was given for."""
    names = [layer.name for layer in layers]
    for number, layer in enumerate(layers):
        if layer.provider is None and layer.base_url is None:
            continue
        provider = layer.provider or "local"
        name = next((name for name in names[: number + 1] if name), None)
        key = next((layer.api_key for layer in layers[: number + 1] if layer.api_key), None)
        base_url = layer.base_url or BASE_URLS.get(provider)
        if base_url is None:
            raise InvalidSettings("the provider `local` needs an address: set model.base_url")
        if name is None:
            raise InvalidSettings(
                f"no model is named for the role {role}: set model.name to one of {provider}'s models"
            )
        if key is None and provider in USUAL_KEYS:
            raise InvalidSettings(f"{provider} needs a key: set {USUAL_KEYS[provider]} or model.api_key")
        return Place(provider=provider, base_url=base_url, key=key), name
    raise InvalidSettings("no provider of language models is named: set model.provider, or engine to offline")


def _first(*values: _T | None) -> _T:
    return next(value for value in values if value is not None)
