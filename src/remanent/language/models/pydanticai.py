"""Speaking to providers through pydantic-ai, which knows the form of each one's API.

Only the form of an API is theirs. Retries, time-outs, reading and repair are ours, so that they are alike for every
provider. What goes wrong there is told in our own errors: who must act, what was said, and never a key.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from copy import deepcopy
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from remanent.errors import LanguageError, ModelDenied, ModelRejected, ModelUnavailable, Refused
from remanent.http.client import MAY_PASS, AnswerTooLarge, Scrubber, make_client, retry_after
from remanent.language.models.call import Completion, Endpoint, Finish, ModelCall, Output
from remanent.model import Clock
from remanent.settings import ModelSettings

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.providers import Provider


_UNDERSTOOD = frozenset({400, 404, 415, 422, 501})
"""Statuses of a provider that read the request and does not know something in it."""
_STRUCTURE = ("response_format", "json_schema", "json_object", "schema", "structured", "grammar", "tool", "function")


class OutputUnsupported(ModelRejected):
    """The provider does not know the way in which a structured answer was asked for."""


class ErrorTranslator:
    """Where a provider's exceptions become ours."""

    def __init__(self, place: Endpoint, *, clock: Clock) -> None:
        self._place = place
        self._clock = clock
        key = place.key.get_secret_value() if place.key else ""
        self._scrubber = Scrubber([key])

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise `LanguageError` and its kin in place of whatever the provider's client raises."""
        import httpx2

        try:
            yield
        except LanguageError:
            raise
        except (
            RuntimeError,  # pydantic-ai's own errors, and that of a client that was closed meanwhile
            httpx2.HTTPError,
            httpx2.StreamError,
            httpx2.InvalidURL,
            AnswerTooLarge,
            OSError,
            # What the client's own reading of a malformed answer ends in.
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:
            raise self._translate(error, now=self._clock()) from self._scrubber.cause(error)

    def _translate(self, error: Exception, *, now: datetime) -> LanguageError:
        from pydantic_ai import exceptions as vendor

        who = f"{self._place.provider} at {self._place.base_url}"
        too_large = _find(error, AnswerTooLarge)
        if too_large is not None:
            return Refused(f"{who}: {too_large}")
        if isinstance(error, vendor.ModelHTTPError):
            return self._of_status(error, who=who, now=now)
        if isinstance(error, vendor.ModelRequestRejectedError | vendor.ModelQuotaExceededError | vendor.UserError):
            return ModelRejected(f"{who} rejects the request: {self._said(error)}")
        if isinstance(error, vendor.ModelTimeoutError):
            return ModelUnavailable(f"{who} did not answer in time; see model.read_timeout and model.connect_timeout")
        if isinstance(error, vendor.ModelAPIError):
            return ModelUnavailable(f"{who} failed: {self._said(error)}")
        if (
            type(error) is RuntimeError
            or isinstance(error, OSError)
            or type(error).__module__.partition(".")[0] == "httpx2"
        ):
            return ModelUnavailable(f"{who} could not be reached: {self._said(error) or type(error).__name__}")
        # The text of such an error repeats what came, which is not ours to show.
        return ModelUnavailable(f"{who} sent an answer that cannot be understood ({type(error).__name__})")

    def _of_status(self, error: "ModelHTTPError", *, who: str, now: datetime) -> LanguageError:
        from pydantic_ai import exceptions as vendor

        said = self._said(error)
        told = f"{who} answers {error.status_code}: {said}"
        if isinstance(error, vendor.ModelQuotaExceededError):
            return ModelDenied(f"{told}. The account has no quota left")
        if error.status_code in MAY_PASS and not isinstance(error, vendor.ModelRequestRejectedError):
            return ModelUnavailable(told, retry_after=retry_after(error.headers or {}, now=now))
        if isinstance(error, vendor.ModelAuthenticationError):
            return ModelDenied(f"{told}. Check model.api_key and what it is allowed to do")
        if isinstance(error, vendor.ModelContextWindowExceededError):
            return ModelRejected(f"{told}. The request is too long for this model; lower model.window")
        if error.status_code in _UNDERSTOOD and any(word in said.lower() for word in _STRUCTURE):
            return OutputUnsupported(f"{told}. Another value of model.output may help")
        if isinstance(error, vendor.ModelNotFoundError):
            return ModelDenied(f"{told}. Check model.name and model.base_url")
        return ModelRejected(told)

    def _said(self, error: Exception) -> str:
        """Return what the provider said, in a line and without keys."""
        body = getattr(error, "body", None)
        if isinstance(body, dict):
            inner = body.get("error", body)
            text = inner.get("message") if isinstance(inner, dict) else inner
            return self._scrubber.clean(str(text or body))
        text = str(body or error)
        if text.lstrip().startswith("<"):
            return "a page of HTML, which a gateway may have written"
        return self._scrubber.clean(text)


def _find(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """Return the error of a kind among an error and its causes."""
    for _ in range(20):
        if error is None or isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


_FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length", "content_filter": "filter", "tool_call": "tool"}
_NO_KEY = "none"
"""Sent where a provider needs no key and the client wants one."""
_NO_TAGS = ("\0<", ">\0")
"""Tags that no text holds: what a model writes is read as it is, because roles have tags of their own."""


class ProviderConnection:
    """One provider at one address with one key: its HTTP connections and the models asked through them."""

    def __init__(self, place: Endpoint, *, settings: ModelSettings, clock: Clock) -> None:
        self.place = place
        self._settings = settings
        self._border = ErrorTranslator(place, clock=clock)
        self._models: dict[str, Model[Any]] = {}
        self._opening = asyncio.Lock()
        self._resources = AsyncExitStack()
        self._provider: Provider[Any] | None = None

    async def open(self, model: str) -> None:
        """Load what is needed to ask a model; it takes seconds the first time, so it is not a part of any time-out."""
        async with self._opening:
            # In threads: the imports would hold up everything else for as long.
            if self._provider is None:
                client, provider = await asyncio.to_thread(_connect, self.place, self._settings)
                self._resources.push_async_callback(client.aclose)
                self._provider = provider
                self._models.clear()
            if model not in self._models:
                self._models[model] = await asyncio.to_thread(_make_model, self.place, self._provider, model)

    async def close(self) -> None:
        """Close the connections; what is still being asked ends in an error."""
        await self._resources.aclose()
        self._provider = None

    def best_output(self, model: str) -> Output:
        """Return the strictest form of answer that the provider has for a model."""
        profile = self._models[model].profile
        if profile.get("supports_json_schema_output"):
            return "schema"
        if profile.get("supports_json_object_output"):
            return "json"
        return "tool" if profile.get("supports_tools", True) else "text"

    async def ask(self, call: ModelCall) -> Completion:
        """Return a model's answer; raise `LanguageError` and its kin."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.settings import ModelSettings as VendorSettings

        sampling = VendorSettings(max_tokens=call.max_tokens)
        if _takes_sampling(self._models[call.model].profile):
            sampling["temperature"] = call.temperature
            if self.place.provider != "anthropic":  # whose models take one of the two, not both
                sampling["top_p"] = call.top_p
        with self._border.translated():
            response = await model_request(
                self._models[call.model],
                _messages(call),
                model_settings=sampling,
                model_request_parameters=_parameters(call),
                instrument=False,
            )
            return self._completion(response, call)

    def _completion(self, response: "ModelResponse", call: ModelCall) -> Completion:
        from pydantic_ai.messages import TextPart, ToolCallPart

        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        wanted = [part for part in calls if call.output == "tool" and part.tool_name == call.name]
        return Completion(
            text=wanted[0].args_as_json_str() if wanted else text,
            finish=_FINISHES.get(response.finish_reason or "stop", "other"),
            tool=calls[0].tool_name if calls and not wanted else "",
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            cost=self._cost(response),
        )

    def _cost(self, response: "ModelResponse") -> float | None:
        """Return the price of an answer, if it is known; what runs at home has none, whatever it is called."""
        if self.place.provider in {"local", "ollama"} or not response.usage.has_values():
            return None
        try:
            return float(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            return None


def _connect(place: Endpoint, settings: ModelSettings) -> "tuple[httpx2.AsyncClient, Provider[Any]]":
    """Make the HTTP client and the provider on it. All that is imported here is slow to import."""
    client = make_client(
        read_timeout=settings.read_timeout, connect_timeout=settings.connect_timeout, limit=int(settings.max_answer)
    )
    given: dict[str, Any] = {
        "api_key": place.key.get_secret_value() if place.key else _NO_KEY,
        "base_url": place.base_url,
        "http_client": client,
        "timeout": client.timeout,
        "max_retries": 0,
    }
    if place.provider == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return client, AnthropicProvider(anthropic_client=AsyncAnthropic(**given))
    from openai import AsyncOpenAI

    openai = AsyncOpenAI(**given)
    if place.provider != "openai":
        # The client takes these from the environment; they are nobody else's business.
        openai.organization = openai.project = openai.admin_api_key = None
    return client, _on_openai(place, openai)


def _on_openai(place: Endpoint, client: "AsyncOpenAI") -> "Provider[Any]":
    """Return the provider that speaks OpenAI's API in its own way."""
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    own: dict[str, Callable[..., Provider[Any]]] = {
        "openai": OpenAIProvider,
        "deepseek": DeepSeekProvider,
        "ollama": OllamaProvider,
    }
    made = own.get(place.provider, partial(OpenAICompatibleProvider, "local"))
    return made(openai_client=client)


def _make_model(place: Endpoint, provider: "Provider[Any]", name: str) -> "Model[Any]":
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    if place.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel

        return AnthropicModel(name, provider=provider, profile=ModelProfile(thinking_tags=_NO_TAGS))
    from pydantic_ai.models.openai import OpenAIChatModel

    profile = OpenAIModelProfile(
        thinking_tags=_NO_TAGS,
        # OpenAI alone wants the newer name, and few of the others know it.
        openai_chat_supports_max_completion_tokens=place.provider == "openai",
    )
    return OpenAIChatModel(name, provider=provider, profile=profile)


def _takes_sampling(profile: Mapping[str, Any]) -> bool:
    """Say whether a model takes a temperature; those that reason before they answer mostly do not."""
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    return bool(profile.get("openai_supports_reasoning_effort_none")) and not profile.get("thinking_enabled_by_default")


def _messages(call: ModelCall) -> "list[ModelMessage]":
    from pydantic_ai.messages import BinaryContent, ModelRequest, ModelResponse, TextPart, UserPromptPart

    messages: list[ModelMessage] = []
    for turn in call.turns:
        if turn.speaker == "assistant":
            messages.append(ModelResponse(parts=[TextPart(content=turn.text)]))
            continue
        shown = [BinaryContent(data=picture.content, media_type=picture.media_type) for picture in turn.pictures]
        part = UserPromptPart(content=[turn.text, *shown] if shown else turn.text)
        messages.append(ModelRequest(parts=[part], instructions=call.instructions))
    return messages


def _parameters(call: ModelCall) -> "ModelRequestParameters":
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if call.schema is None or call.output == "text":
        return ModelRequestParameters()
    schema = deepcopy(call.schema)  # each provider rewrites it to what it understands
    if call.output == "tool":
        tool = ToolDefinition(name=call.name, parameters_json_schema=schema, kind="output")
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    return ModelRequestParameters(
        output_mode="native" if call.output == "schema" else "prompted",
        output_object=OutputObjectDefinition(json_schema=schema, name=call.name),
        prompted_output_template=False,  # the schema is shown in the instructions, in the language of the rest
    )
