"""The engine that asks language models: it does not hang, does not leak and does not believe all it is told.

A reply that cannot be read is repaired once, by telling the model what is wrong with it; then the role is done
without a model.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Generic

from remanent.errors import InvalidInput, LanguageError, ModelRejected, ModelUnavailable, Refused
from remanent.http.client import backoff
from remanent.language.models.call import Completion, Endpoint, ModelCall, ModelSelection, ask_again, model_selection
from remanent.language.models.coercion import bounded, read_reply, schema_of
from remanent.language.models.parsing import UnreadableReply
from remanent.language.models.pydanticai import OutputUnsupported, ProviderConnection
from remanent.language.role import Answer, ChatMessage, Engine, ReplyT, RequestT, ResponseT, Role, Usage, total_cost
from remanent.lightweight import dataclass
from remanent.model import Clock, Maker, RoleFigures, system_clock
from remanent.settings import ModelSettings
from remanent.text.tokens import TokenCounter, counter_for

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class RunUsage:
    """What one run takes; requests are further attempts and repairs included."""

    requests: int = 0
    answers: list[Completion] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """The run's usage, as it is given back with the answer."""
        return Usage(
            requests=self.requests,
            input_tokens=sum(answer.input_tokens for answer in self.answers),
            output_tokens=sum(answer.output_tokens for answer in self.answers),
            cost=total_cost([answer.cost for answer in self.answers]),
        )


class UsageMeter:
    """Adds up what runs take, by role.

    A part without a price makes the cost of a run unknown: the sum of the prices that are known was passed off as the
    whole.
    """

    def __init__(self, *, now: Callable[[], float]) -> None:
        self._now = now
        self._roles: dict[str, RoleFigures] = {}

    @property
    def figures(self) -> tuple[RoleFigures, ...]:
        """What each role took since the engine was made, by its name."""
        return tuple(self._roles[role] for role in sorted(self._roles))

    @contextmanager
    def run(self, role: str) -> Iterator[RunUsage]:
        """Count a run, however it ends."""
        tally, started, failed = RunUsage(), self._now(), 1
        try:
            yield tally
            failed = 0
        finally:
            past, usage = self._roles.get(role, RoleFigures(role=role)), tally.usage
            known = [answer.cost for answer in tally.answers if answer.cost is not None]
            self._roles[role] = RoleFigures(
                role=role,
                runs=past.runs + 1,
                requests=past.requests + tally.requests,
                input_tokens=past.input_tokens + usage.input_tokens,
                output_tokens=past.output_tokens + usage.output_tokens,
                cost=(past.cost or 0.0) + sum(known) if known else past.cost,
                failures=past.failures + failed,
                seconds=past.seconds + self._now() - started,
            )


class CircuitOpen(ModelUnavailable):
    """The provider was not even asked: it is being left alone."""


class CircuitBreaker:
    """Opens after some failures in a row; after a rest it lets one request through, whose outcome decides."""

    def __init__(self, name: str, *, failures: int, rest: float, now: Callable[[], float]) -> None:
        self._name = name
        self._most = failures
        self._rest = rest
        self._now = now
        self._failures = 0
        self._until: float | None = None
        self._is_probing = False

    def is_open(self) -> bool:
        """Say whether requests are turned away."""
        return self._until is not None and (self._is_probing or self._now() < self._until)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Let a request through and learn from how it ends; raise `CircuitOpen` when it may not pass.

        Only `ModelUnavailable` speaks against the provider: one that rejects a request is there. What was cancelled
        says nothing.
        """
        if self._until is not None and self.is_open():
            wait = max(0.0, self._until - self._now())
            raise CircuitOpen(
                f"{self._name} failed {self._failures} times in a row and is paused for {wait:.0f} s", retry_after=wait
            )
        probes = self._until is not None
        self._is_probing = self._is_probing or probes
        try:
            yield
        except ModelUnavailable:
            self._failures += 1
            if self._failures >= self._most:
                self._until = self._now() + self._rest
            raise
        except LanguageError:
            self._failures, self._until = 0, None
            raise
        else:
            self._failures, self._until = 0, None
        finally:
            self._is_probing = self._is_probing and not probes


_PICTURE_TOKENS = 1_600
"""What providers count for a picture, about; the exact number depends on its size and on the model."""

_LONGEST_REPEATED = 8_000
_SHORTEST_REPEATED = 500
"""Characters of a bad answer that a model is shown again; what is wrong with a longer one shows in these. Chosen by
hand."""


class _Unusable(Exception):
    """An answer cannot be used; says why, for the model to correct."""


@dataclass(frozen=True, slots=True)
class _RoleRun(Generic[RequestT, ReplyT, ResponseT]):
    """One run of a role: what is asked, of whom, until when, and what it takes."""

    role: Role[RequestT, ReplyT, ResponseT]
    request: RequestT
    choice: ModelSelection
    connection: ProviderConnection
    deadline: float
    tally: RunUsage


class ModelEngine(Engine):
    """Runs roles on the models that settings choose.

    An answer that cannot be used is sent back once, with what is wrong with it; then it is `Refused`. Failures that may
    pass are tried again within the time that settings give; a provider that keeps failing is left alone for a while.
    """

    name = "model"

    def __init__(
        self,
        settings: ModelSettings,
        *,
        clock: Clock = system_clock,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._now = now
        self._sleep = sleep
        self._chance = chance
        self._meter = UsageMeter(now=now)
        self._connections: dict[Endpoint, ProviderConnection] = {}
        self._breakers: dict[str, CircuitBreaker] = {}
        self._unstructured: set[tuple[Endpoint, str]] = set()
        """Models whose provider turned down every structured form of answer."""

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the checked response of a role to a request."""
        choice = self.choice(role)
        if choice.place not in self._connections:
            made = ProviderConnection(choice.place, settings=self._settings, clock=self._clock)
            self._connections[choice.place] = made
        connection = self._connections[choice.place]
        await connection.open(choice.model)
        with self._meter.run(role.name) as tally:
            run = _RoleRun(
                role=role,
                request=request,
                choice=choice,
                connection=connection,
                deadline=self._now() + self._settings.timeout,
                tally=tally,
            )
            try:
                response = await self._converse(run)
            except LanguageError as error:
                error.tokens = tally.usage.input_tokens + tally.usage.output_tokens
                raise
        made_by = Maker(role=role.name, engine=choice.model, version=role.version)
        return Answer(value=response, made_by=made_by, usage=tally.usage)

    @property
    def figures(self) -> tuple[RoleFigures, ...]:
        """What each role took of a model."""
        return self._meter.figures

    def choice(self, role: Role[RequestT, ReplyT, ResponseT]) -> ModelSelection:
        """Return the model that does a role's work, and how it is called."""
        return model_selection(self._settings, role=role.name, defaults=role.defaults)

    def sees(self, role: Role[RequestT, ReplyT, ResponseT]) -> bool:
        """Tell whether settings say that the role's model sees pictures."""
        return self.choice(role).vision

    def window(self, role: Role[RequestT, ReplyT, ResponseT]) -> int:
        """Return the tokens that settings give a request of a role."""
        return self.choice(role).window

    def counter(self, role: Role[RequestT, ReplyT, ResponseT]) -> TokenCounter:
        """Return the counter of the role's model."""
        return counter_for(self.choice(role).model)

    async def close(self) -> None:
        """Let go of connections."""
        connections = list(self._connections.values())
        self._connections.clear()
        for connection in connections:
            await connection.close()

    async def _converse(self, run: _RoleRun[RequestT, ReplyT, ResponseT]) -> ResponseT:
        call = self._first_call(run)
        room = self._room(run, call)
        if room < 0:
            raise ModelRejected(
                f"the request for {run.role.name} has about {run.choice.window - room} tokens, but its window is "
                f"{run.choice.window}; shorten it, or raise model.window if the model takes more"
            )
        call = _within(call, room)
        answer = await self._ask(run, call)
        try:
            return _read(run, answer)
        except _Unusable as unusable:
            problem = str(unusable)
        _logger.info("%s: the answer of %s is sent back: %s", run.role.name, run.choice.model, problem)
        language = run.role.language(run.request)
        longest = max(_SHORTEST_REPEATED, min(_LONGEST_REPEATED, room))
        again = ask_again(call, answer.text, problem, form=run.role.form, language=language, longest=longest)
        answer = await self._ask(run, _within(again, self._room(run, again)))
        try:
            return _read(run, answer)
        except _Unusable as unusable:
            raise Refused(
                f"{run.choice.model} gave no usable answer for {run.role.name}, not even when told why: {unusable}"
            ) from unusable

    def _first_call(self, run: _RoleRun[RequestT, ReplyT, ResponseT]) -> ModelCall:
        role, choice = run.role, run.choice
        language = role.language(run.request)
        prompt = role.prompt(run.request, language=language)
        if prompt.pictures and not choice.vision:
            raise ModelRejected(
                f"{choice.model} is not known to see pictures; set model.vision, or name a model that does for "
                f"{role.name}"
            )
        return ModelCall(
            model=choice.model,
            instructions=prompt.instructions,
            turns=(ChatMessage("user", prompt.content, prompt.pictures), *prompt.turns),
            name=role.name,
            schema=bounded(schema_of(role.reply), role.bounds(run.request)) if role.form == "json" else None,
            temperature=choice.temperature,
            top_p=choice.top_p,
            max_tokens=choice.max_tokens,
        )

    def _room(self, run: _RoleRun[RequestT, ReplyT, ResponseT], call: ModelCall) -> int:
        """Return the tokens that the window has left behind a call."""
        count = counter_for(call.model)
        tokens = sum(count(text) for text in (call.instructions, *(turn.text for turn in call.turns)))
        return run.choice.window - tokens - sum(_PICTURE_TOKENS * len(turn.pictures) for turn in call.turns)

    async def _ask(self, run: _RoleRun[RequestT, ReplyT, ResponseT], call: ModelCall) -> Completion:
        """Return what the model says, after as many attempts as it may take."""
        failures = 0
        while True:
            formed = self._formed(run, call)
            try:
                return await self._attempt(run, formed)
            except OutputUnsupported as error:
                if formed.output == "text" or run.choice.output != "auto":
                    raise
                _logger.info("%s is asked for JSON in words from now on: %s", call.model, error)
                self._unstructured.add((run.choice.place, call.model))
            except CircuitOpen:
                raise
            except ModelUnavailable as error:
                failures += 1
                wait = self._wait(run, error, failures=failures)
                if wait is None:
                    raise
                _logger.warning("%s: trying again in %.1f s, because %s", run.role.name, wait, error)
                await self._sleep(wait)

    def _formed(self, run: _RoleRun[RequestT, ReplyT, ResponseT], call: ModelCall) -> ModelCall:
        """Return the call in the strictest form that its provider has."""
        if call.schema is None:
            return call
        if run.choice.output != "auto":
            return replace(call, output=run.choice.output)
        is_plain = (run.choice.place, call.model) in self._unstructured
        return replace(call, output="text" if is_plain else run.connection.best_output(call.model))

    async def _attempt(self, run: _RoleRun[RequestT, ReplyT, ResponseT], call: ModelCall) -> Completion:
        settings, place = self._settings, run.choice.place
        left = min(settings.request_timeout, run.deadline - self._now())
        if left <= 0:
            raise ModelUnavailable(f"the {settings.timeout:g} s for {run.role.name} are over; see model.timeout")
        name = f"{place.provider} at {place.base_url}"
        if name not in self._breakers:
            most, rest = settings.breaker_failures, settings.breaker_rest
            self._breakers[name] = CircuitBreaker(name, failures=most, rest=rest, now=self._now)
        with self._breakers[name].guard():
            run.tally.requests += 1
            try:
                async with asyncio.timeout(left):
                    answer = await run.connection.ask(call)
            except TimeoutError as error:
                raise ModelUnavailable(f"{name} took longer than {left:g} s") from error
        run.tally.answers.append(answer)
        if answer.finish == "filter":
            raise ModelRejected(f"{call.model} declined to answer {run.role.name}, or its answer was withheld")
        return answer

    def _wait(
        self, run: _RoleRun[RequestT, ReplyT, ResponseT], error: ModelUnavailable, *, failures: int
    ) -> float | None:
        """Return the seconds until the next attempt, or None when there is none."""
        settings = self._settings
        if failures >= settings.attempts:
            return None
        wait = error.retry_after
        if wait is None:
            wait = backoff(failures, base=settings.backoff_base, cap=settings.backoff_cap, chance=self._chance())
        if wait > settings.backoff_cap or self._now() + wait >= run.deadline:
            return None
        return wait


def _within(call: ModelCall, room: int) -> ModelCall:
    """Return a call whose answer fits behind its prompt: many servers refuse one that asks for more than is left."""
    return replace(call, max_tokens=max(1, min(call.max_tokens, room)))


def _read(run: _RoleRun[RequestT, ReplyT, ResponseT], answer: Completion) -> ResponseT:
    """Return the checked response; raise `_Unusable`, saying why, when there is none in what was answer."""
    role = run.role
    if not answer.text.strip():
        raise _Unusable(f"it calls the tool {answer.tool}, but there is no such tool" if answer.tool else "it is empty")
    try:
        if role.form == "text":
            reply = role.reply.model_validate({"text": answer.text})
        else:
            blank = role.blank(run.request, language=role.language(run.request))
            reply = read_reply(answer.text, role.reply, cut=answer.finish == "length", blank=blank)
        return role.read(run.request, reply)
    except (UnreadableReply, Refused, InvalidInput) as error:
        advice = "; it was cut off at its limit, so be brief" if answer.finish == "length" else ""
        raise _Unusable(f"{error}{advice}") from error
