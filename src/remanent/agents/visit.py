"""Reading a web page: through Jina Reader, or by this machine itself; never one of a private network."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from remanent.agents.tools import ToolOutput
from remanent.errors import InvalidInput, LanguageError, ToolFailed
from remanent.http.jsonapi import Bounds, JsonApi
from remanent.http.public import Page, PublicFetcher
from remanent.language.roles.react import ToolDefinition
from remanent.loaders.webpage import read_page
from remanent.model import Origin
from remanent.settings import ReaderSettings

VISIT = "visit"
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXTUAL = ("text/", "application/json", "application/xml", "application/ld+json")


class Visit:
    """The tool `visit`: the words of one public web page."""

    origin = Origin.WEB
    declaration = ToolDefinition(
        name=VISIT,
        description="Read a public web page in full, for example one that a search found. 读取一个公开网页的全文。",
        parameters={
            "type": "object",
            "properties": {"url": {"type": "string", "description": "its address, http or https / 网址"}},
            "required": ["url"],
        },
    )

    def __init__(
        self,
        settings: ReaderSettings,
        *,
        fetcher: PublicFetcher | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._fetcher = fetcher or PublicFetcher(timeout=settings.timeout, most_bytes=int(settings.max_page))
        through_jina = settings.mode == "jina" or (settings.mode == "auto" and settings.api_key is not None)
        self._jina = _jina(settings, sleep=sleep, chance=chance) if through_jina else None

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Read the page; `AddressRefused` when it does not lie in the public web."""
        url = arguments.get("url")
        if not isinstance(url, str) or not url.strip():
            raise InvalidInput('visit needs {"url": "https://…"}')
        # Checked here even if somebody else fetches it: a reader in our own network must not be our arm into it.
        if self._jina is not None:
            title, text = await self._read_through(self._jina, await self._fetcher.check(url))
        else:
            page = await self._fetcher.fetch(url)
            title, text = _read(page)
            url = page.url
        if not text:
            raise ToolFailed(f"{url} has no text that can be read")
        return ToolOutput(f"{title}\n{url}\n\n{text}".strip(), metadata={"url": url, "title": title})

    async def close(self) -> None:
        """Close the connections."""
        await self._fetcher.close()
        if self._jina is not None:
            await self._jina.close()

    async def _read_through(self, jina: JsonApi, url: str) -> tuple[str, str]:
        try:
            answer = _Answer.model_validate(json.loads(await jina.post("", {"url": url})))
        except LanguageError as error:
            raise ToolFailed(f"the page could not be read: {error}") from error
        except (ValueError, ValidationError, RecursionError) as error:
            raise ToolFailed("the page reader gave an answer that cannot be read; see reader.base_url") from error
        return answer.data.title.strip(), answer.data.content.strip()


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    title: str = ""
    content: str = ""


class _Answer(BaseModel):
    """What Jina Reader says; of it, only what an agent can use is read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    data: _Read


def _jina(
    settings: ReaderSettings, *, sleep: Callable[[float], Awaitable[None]], chance: Callable[[], float]
) -> JsonApi:
    return JsonApi(
        settings.base_url,
        key=settings.api_key,
        group="reader",
        names_model=False,
        bounds=Bounds(
            timeout=settings.timeout, request_timeout=settings.timeout, max_answer=int(settings.max_page), attempts=2
        ),
        sleep=sleep,
        chance=chance,
    )


def _read(page: Page) -> tuple[str, str]:
    """Return the title and the text of a page; `ToolFailed` when it is no text."""
    if not page.media_type.startswith(_TEXTUAL) and page.media_type not in _HTML:
        raise ToolFailed(f"{page.url} is {page.media_type}, which is not read as a page")
    try:
        text = page.body.decode(page.charset, "replace")
    except LookupError:
        text = page.body.decode("utf-8", "replace")
    if page.media_type in _HTML:
        found = read_page(text)
        return found.title, found.text
    return "", text.strip()
