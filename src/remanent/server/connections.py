"""Connections: each has so long for its headers, its body and for reading its answer, and there are only so many.

uvicorn has a time limit for idle connections and none for slow ones: a client that sends half a header, a byte of its
body now and then, or stops reading its answer holds a connection for ever. Limits of whole requests would punish large
ones; so a header has a time limit, and bodies and answers have to move at a least speed.
"""

import asyncio
import resource
import select
import socket
import struct
from collections import OrderedDict, defaultdict
from enum import StrEnum
from itertools import islice
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from remanent.server.hosts import is_loopback
from remanent.settings import ServerSettings

RESERVE = 32
"""Connections, and requests under way, beyond the usual ones: for health checks and for administrators."""

_MAX_PROBED = 16
"""Connections that are looked at to find one to drop: each look is a call of the system."""

_UNREAD = 64 * 1024
"""Bytes of a body, announced and not needed any more, up to which a connection is worth keeping."""
_LINGER = 2.0
"""Seconds that a client which is still sending what was refused has to read why."""

MAX_HEAD = 32 * 1024
_MAX_HEADERS = 200
"""Bytes and lines of a request before its body; browsers and proxies send a tenth of that. Each line takes 3 us of the
event loop, and a single read of 256 KB can hold 50,000 of them: 0.15 s of everybody's, before anybody was asked for a
key."""

_TOO_MUCH_HEAD = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"content-length: 25\r\n\r\nthe headers are too large"
)
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"content-length: 25\r\n\r\nthe request came too slow"
)


class ConnectionPhase(StrEnum):
    """What a connection is at, from the client's side."""

    HEAD = "head"
    """The headers of a request are to come."""
    BODY = "body"
    ANSWER = "answer"
    """The request is here, and is answered."""
    IDLE = "idle"
    """Answered, and nothing more came yet."""


def max_connections(settings: ServerSettings) -> int:
    """Return how many connections are taken: at most half of the files that this process may have open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = settings.max_connections if files == resource.RLIM_INFINITY else files // 2
    return max(1, min(settings.max_connections, allowed))


class Connections:
    """Who is connected. When there are too many, those that have asked for nothing make room for newcomers."""

    def __init__(self, *, most: int, per_address: int, reserve: int = RESERVE) -> None:
        self._most = most
        self._per_address = per_address
        self._reserve = reserve
        self._count = 0
        self._by_address: defaultdict[str, int] = defaultdict(int)
        # By address and oldest first: those that never asked for anything, and those that were answered before.
        self._silent: dict[str, OrderedDict[TimedProtocol, None]] = {}
        self._idle: dict[str, OrderedDict[TimedProtocol, None]] = {}

    def admit(self, one: "TimedProtocol") -> bool:
        """Count a new connection in and return whether there is room for it; `one.is_reserve` says in which part."""
        address = one.address
        # A reverse proxy on the same machine brings everybody's connections from one address.
        most = self._most + self._reserve if is_loopback(address) else self._per_address
        waiting = [known[address] for known in (self._silent, self._idle) if address in known]
        if self._by_address[address] >= most and not any(map(self._drop_first, waiting)):
            self._forget_address(address)
            return False
        if self._count >= self._most and not self._drop_any():
            one.is_reserve = True
            if self._count >= self._most + self._reserve:
                self._forget_address(address)
                return False
        self._count += 1
        self._by_address[address] += 1
        one.is_counted = True
        return True

    def note(self, one: "TimedProtocol", *, has_asked: bool, is_waiting: bool) -> None:
        """Note whether a connection waits for its client to ask for something."""
        for known in (self._silent, self._idle):
            at_address = known.get(one.address, OrderedDict())
            if one in at_address:
                del at_address[one]
                if not at_address:
                    del known[one.address]
        if is_waiting and one.is_counted:
            (self._idle if has_asked else self._silent).setdefault(one.address, OrderedDict())[one] = None

    def forget(self, one: "TimedProtocol") -> None:
        """Count a connection out."""
        self.note(one, has_asked=False, is_waiting=False)
        if one.is_counted:
            one.is_counted = False
            self._count -= 1
            self._by_address[one.address] -= 1
            self._forget_address(one.address)

    def _drop_any(self) -> bool:
        """Drop the oldest connection of the address that has most of those that wait."""
        return any(self._drop_first(max(known.values(), key=len)) for known in (self._silent, self._idle) if known)

    def _drop_first(self, waiting: "OrderedDict[TimedProtocol, None]") -> bool:
        """Drop the oldest that has sent nothing more: what came while we were busy may not have been read yet."""
        one = next((one for one in islice(waiting, _MAX_PROBED) if not one.has_unread()), None)
        if one is None:
            return False
        self.forget(one)
        one.drop()
        return True

    def _forget_address(self, address: str) -> None:
        if not self._by_address[address]:
            del self._by_address[address]


class TimedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with time limits; `timed_protocol` gives it its limits.

    A body that is not here must have come at the least speed (`min_speed`) in each stretch of so many seconds
    (`body_timeout`), and an answer that the client does not read must have gone at it (`read_timeout`).
    """

    limits: ServerSettings
    registry: Connections

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.address = ""
        self.is_counted = False
        self.is_reserve = False
        self._phase: ConnectionPhase | None = None
        self._has_asked = False
        self._is_lingering = False
        self._yielded: asyncio.Future[None] | None = None
        """There while the answer under way is a refusal that waits, and the connection may be dropped."""
        self._received = 0
        self._came = 0
        """What had been received when the present stretch of a body began."""
        self._is_excused = False
        """Whether we ourselves let the body wait in the present stretch."""
        self._to_go: int | None = None
        """What of the answer had yet to go when the present stretch began."""
        self._patience: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    # ── what happens ─────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection, if there is room."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        if not self.registry.admit(self):
            transport.abort()
            return
        self.app_state = {**self.app_state, "yields": self.yield_place}
        if self.is_reserve:
            self.app_state["reserve"] = True
        connected = transport.get_extra_info("socket")
        if connected is not None:  # else a peer whose machine is gone is never noticed
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._follow()

    def data_received(self, data: bytes) -> None:
        """Take in what came."""
        if self._is_lingering:
            return
        self._received += len(data)
        if self.conn.their_state is h11.IDLE and is_excessive_head(self.conn.trailing_data[0], data):
            self._refuse_head()
            return
        super().data_received(data)
        self._is_excused |= self.flow.read_paused
        self._follow()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._end_waiting()
        if self.conn.their_state is h11.SEND_BODY and self._is_large() and not self.transport.is_closing():
            self._linger()
            return
        if is_excessive_head(self.conn.trailing_data[0]):  # of a request that came along with the one before
            self._refuse_head()
            return
        super().on_response_complete()
        self._watch_reading()
        self._follow()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, even when its last answer was never read."""
        super().timeout_keep_alive_handler()
        self._watch_reading()

    def pause_writing(self) -> None:
        """Wait for the client to read, and not for ever."""
        super().pause_writing()
        self._watch_reading()

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._to_go = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        for timer in (self._patience, self._reading):
            if timer is not None:
                timer.cancel()
        self._patience = self._reading = None
        self._phase = ConnectionPhase.ANSWER
        self._end_waiting()
        self.registry.forget(self)
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def has_unread(self) -> bool:
        """Return whether something came that was not read yet, and should be."""
        if self._yielded is not None:
            return False
        connected = self.transport.get_extra_info("socket")
        if connected is None or connected.fileno() < 0:
            return False
        look = select.poll()
        look.register(connected.fileno(), select.POLLIN)
        return bool(look.poll(0))

    def yield_place(self) -> "asyncio.Future[None]":
        """Make room for others from now on: the answer is a refusal that waits. Done when the connection ends."""
        self._yielded = self.loop.create_future()
        self.registry.note(self, has_asked=True, is_waiting=True)
        return self._yielded

    def shutdown(self) -> None:
        """End as soon as what is under way is answered; refusals wait no longer."""
        self._end_waiting()
        super().shutdown()

    def _end_waiting(self) -> None:
        if self._yielded is not None and not self._yielded.done():
            self._yielded.set_result(None)
        self._yielded = None

    def drop(self) -> None:
        """Make room for others: nothing is under way here."""
        self.transport.abort()

    def _is_large(self) -> bool:
        sizes = [value for name, value in self.headers if name == b"content-length"]
        return not sizes or int(sizes[0]) > _UNREAD

    def _linger(self) -> None:
        """End a connection whose client still sends what was refused: say so, read no more of it, and soon close.

        What came meanwhile is thrown away unread. Closing at once would reset the connection, by which some clients
        lose the answer.
        """
        self._is_lingering = True
        self.server_state.total_requests += 1
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        if self._patience is not None:
            self._patience.cancel()
        self._patience = self.loop.call_later(_LINGER, self.transport.abort)

    # ── how long it may take ─────────────────────────────────────────────────

    def _follow(self) -> None:
        """Set the time limit of what the connection has come to."""
        if self.transport.is_closing() or self._phase is (phase := self._now()):
            return
        self._phase = phase
        if phase in {ConnectionPhase.BODY, ConnectionPhase.ANSWER}:
            self._has_asked = True
            self._to_go = None  # another answer is added to what has yet to go
            if self.is_reserve:  # whoever comes back may find an ordinary place
                self.cycle.keep_alive = False
        self.registry.note(
            self, has_asked=self._has_asked, is_waiting=phase in {ConnectionPhase.HEAD, ConnectionPhase.IDLE}
        )
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if phase is ConnectionPhase.HEAD:
            self._patience = self.loop.call_later(self.limits.header_timeout, self._too_slow)
        elif phase is ConnectionPhase.BODY:
            self._begin_stretch()

    def _now(self) -> ConnectionPhase:
        """Return what the connection is at, as h11 sees the client's side of it."""
        theirs = self.conn.their_state
        if theirs is h11.SEND_BODY:
            return ConnectionPhase.BODY
        if theirs is not h11.IDLE:
            return ConnectionPhase.ANSWER
        # Between two requests uvicorn's own limit for idle connections holds, until the first byte of the next.
        return ConnectionPhase.HEAD if self.conn.trailing_data[0] or not self._has_asked else ConnectionPhase.IDLE

    def _begin_stretch(self) -> None:
        self._came = self._received
        self._is_excused = self.flow.read_paused
        self._patience = self.loop.call_later(self.limits.body_timeout, self._end_stretch)

    def _end_stretch(self) -> None:
        """Judge one stretch of a body: by its speed, unless it was we who did not read.

        A client is not to blame for the time in which its bytes waited in our own buffers.
        """
        waits_for_us = self._is_excused or self.flow.read_paused or self.cycle.waiting_for_100_continue
        is_fast = self._received - self._came >= self.limits.min_speed * self.limits.body_timeout
        # What was answered before its body was here is not read any further.
        if self.cycle.response_complete or not (waits_for_us or is_fast):
            self._too_slow()
        else:
            self._begin_stretch()

    def _refuse_head(self) -> None:
        """Close the connection of a client whose headers nobody shall parse."""
        self.transport.write(_TOO_MUCH_HEAD)
        self.transport.close()
        self._watch_reading()

    def _too_slow(self) -> None:
        """Close the connection; say 408 where no answer was begun, because a half-sent one cannot be taken back."""
        if self.transport.is_closing():
            return
        if self._received and (self._phase is ConnectionPhase.HEAD or not self.cycle.response_started):
            self.transport.write(_TOO_SLOW)
        self.transport.close()
        self._watch_reading()

    def _watch_reading(self) -> None:
        """See to it that what has yet to go keeps moving, while nothing is added to it."""
        is_all = self.transport.is_closing() or (self._has_asked and self.cycle.response_complete)
        size = self.transport.get_write_buffer_size()
        if self._reading is None and size and (is_all or self.flow.write_paused):
            self._to_go = size
            self._reading = self.loop.call_later(self.limits.read_timeout, self._check_reading)

    def _check_reading(self) -> None:
        """Abort where the client has read too little of its answer since the last look."""
        self._reading = None
        before, size = self._to_go, self.transport.get_write_buffer_size()
        is_stuck = before is not None and before - size < self.limits.min_speed * self.limits.read_timeout
        if not (size and is_stuck):
            self._watch_reading()
            return
        connected = self.transport.get_extra_info("socket")
        if connected is not None:  # else the system keeps megabytes of the answer for a client that reads none of it
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


def is_excessive_head(*parts: bytes) -> bool:
    """Return whether what comes before a request's body is too large or has too many lines, as far as it is here."""
    head = b"".join(part[: MAX_HEAD + 1] for part in parts)[: MAX_HEAD + 1]
    end = min((place for place in (head.find(b"\r\n\r\n"), head.find(b"\n\n")) if place >= 0), default=len(head))
    return end > MAX_HEAD or head.count(b"\n", 0, end) > _MAX_HEADERS


def timed_protocol(settings: ServerSettings) -> type[TimedProtocol]:
    """Return the protocol of one server: its connections are counted together."""

    class Timed(TimedProtocol):
        limits = settings
        registry = Connections(most=max_connections(settings), per_address=settings.max_connections_per_address)

    return Timed
