"""What a client can put before a model by itself: what was said last, a session, a single record."""

from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from remanent.errors import CallerError, RemanentError
from remanent.language.tongue import Tongue
from remanent.operations import Place, Principal, Service
from remanent.server.mcp.telling import tell

SCHEME = "remanent://"
RECENT = f"{SCHEME}recent"
SESSION = f"{SCHEME}session/"
RECORD = f"{SCHEME}record/"
_LAST = 50
_TEXT = "text/plain"

_WORDS: dict[str, dict[Tongue, str]] = {
    "recent": {"en": "What was said last, oldest first.", "zh": "最近说过的内容，由旧到新。"},
    "session": {"en": "What was said in one session.", "zh": "一个会话中说过的内容。"},
    "record": {"en": "One remembered item, with its sources.", "zh": "一条记忆及其来源。"},
}


class Resources:
    """Lists and reads resources."""

    def __init__(self, service: Service, *, tongue: Tongue) -> None:
        self._service = service
        self._tongue = tongue

    def listed(self) -> list[types.Resource]:
        """Return the resources that are always there."""
        return [types.Resource(uri=RECENT, name="recent", description=self._about("recent"), mime_type=_TEXT)]

    def templates(self) -> list[types.ResourceTemplate]:
        """Return the patterns of further resources."""
        return [
            types.ResourceTemplate(
                uri_template=f"{SESSION}{{session}}",
                name="session",
                description=self._about("session"),
                mime_type=_TEXT,
            ),
            types.ResourceTemplate(
                uri_template=f"{RECORD}{{record_id}}",
                name="record",
                description=self._about("record"),
                mime_type="application/json",
            ),
        ]

    async def read(self, uri: str, *, place: Place, principal: Principal) -> types.TextResourceContents:
        """Return what is behind an address."""
        try:
            if uri.startswith(RECORD) and len(uri) > len(RECORD):
                asked = {"record_id": unquote(uri.removeprefix(RECORD))}
                record = await self._service.perform("get", asked, place=place, principal=principal)
                return types.TextResourceContents(uri=uri, mime_type="application/json", text=record.to_json())
            if uri == RECENT or (uri.startswith(SESSION) and len(uri) > len(SESSION)):
                session = unquote(uri.removeprefix(SESSION)) if uri != RECENT else None
                return await self._journal(uri, session, place=place, principal=principal)
        except CallerError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri}) from error
        except RemanentError as error:
            raise MCPError(types.INTERNAL_ERROR, "memory cannot be read now; try again later") from error
        raise MCPError(types.INVALID_PARAMS, "there is no such resource", {"uri": uri})

    async def _journal(
        self, uri: str, session: str | None, *, place: Place, principal: Principal
    ) -> types.TextResourceContents:
        asked = {"session": session, "newest_first": True, "limit": _LAST}
        page = await self._service.perform("entries", asked, place=place, principal=principal)
        oldest_first = page.model_copy(update={"items": page.items[::-1], "next": None})
        return types.TextResourceContents(uri=uri, mime_type=_TEXT, text=tell(oldest_first, tongue=self._tongue))

    def _about(self, name: str) -> str:
        return _WORDS[name][self._tongue]


def session_uri(session: str) -> str:
    """Return the address of a session."""
    return f"{SESSION}{quote(session, safe='')}"
