"""Every error Remanent raises on purpose, grouped by who must act; what they say in Chinese is in errors_zh.txt.

RemanentError
├── CallerError            the call is wrong: change it
│   ├── InvalidInput       a value is malformed or out of range
│   │   ├── InvalidScope   a scope name is missing, unsafe or ambiguous
│   │   ├── AddressRefused an address leads to where agents must not go
│   │   └── UnreadableFile a file is damaged, locked, empty, too large or of a type that is not read
│   ├── NotFound           no such thing in this scope
│   ├── VersionConflict    somebody else changed it first: read again, then retry
│   ├── DuplicateEntry     the caller's id is taken by another text
│   ├── NotAuthenticated   no key, or one that does not hold: give another
│   ├── NotPermitted       the key does not allow this: ask for one that does
│   └── OriginRefused      a page of another site sent this: it may not
├── BusyError              try again later, nothing was written
│   ├── QueueFull          too many jobs wait for this agent
│   ├── StoreBusy          another process holds the database
│   ├── RateLimited        too many requests in too little time
│   ├── ServerUnreachable  the server does not answer, or not in time
│   └── LeaseLost          a job was taken over by another worker
├── StorageError           the machine must be looked after
│   ├── StorageFull        no room left; reading still works
│   ├── AuditFailed        it was done, and could not be noted in the audit log: do not ask for it again
│   ├── IntegrityError     stored bytes are damaged; nothing was deleted
│   │   ├── DatabaseMissing an agent's database is gone, the rest of it is there
│   │   ├── DamagedExport  an export was cut or changed; nothing of it was taken in
│   │   └── KeysDamaged    the file of keys cannot be read: restore it, or make a key at the machine
│   ├── SchemaTooNew       written by a newer Remanent: upgrade
│   └── StoreClosed        used after close
├── SetupError             the installation or configuration must change
│   ├── InvalidSettings    a setting is unknown or malformed
│   └── MissingDependency  an optional package is needed
├── LanguageError          a model did not do its part; nothing that was said is lost
│   ├── ModelUnavailable   it could not be reached, was overloaded or took too long: later may work
│   ├── ModelRejected      it refused the request (content, size): the same request will be refused again
│   │   └── ModelDenied    it refuses every request (key, quota, name of the model): settings must change
│   └── Refused            its answer made no sense, twice
├── AnswerLost             a server may have done it and could not say so: look before you ask again
├── ToolFailed             a tool of an agent did not do its part; the agent is told and goes on
└── JobFailed              background work gave up; it is kept as a dead letter
"""

from typing import Literal


class RemanentError(Exception):
    """Root of every error raised on purpose."""


class CallerError(RemanentError):
    """The call is wrong; the same call will fail again."""


class InvalidInput(CallerError):
    """A value is malformed or out of range."""


class InvalidScope(InvalidInput):
    """A scope name is missing, unsafe or ambiguous."""


class AddressRefused(InvalidInput):
    """An address is private, ambiguous or of another kind than public web pages have; nothing was connected to."""


UnreadableReason = Literal["empty", "too_large", "unknown_type", "locked", "damaged", "too_slow", "crashed"]
"""Why a file could not be read."""


class UnreadableFile(InvalidInput):
    """A file could not be read; nothing of it was kept."""

    def __init__(self, message: str, *, reason: UnreadableReason = "damaged") -> None:
        super().__init__(message)
        self.reason: UnreadableReason = reason


class NotFound(CallerError):
    """Nothing with that id exists in this scope."""


class VersionConflict(CallerError):
    """The record changed since it was read; read it again and retry."""


class DuplicateEntry(CallerError):
    """The caller's id already names an entry with another text."""


class NotAuthenticated(CallerError):
    """No key was given, or it is unknown, expired or revoked."""


class NotPermitted(CallerError):
    """The key does not allow what was asked."""


class OriginRefused(CallerError):
    """A page of another site had a browser send the request; nothing was done."""


class BusyError(RemanentError):
    """Nothing was written; the same call may succeed later."""


class QueueFull(BusyError):
    """Too many jobs already wait for this agent."""


class StoreBusy(BusyError):
    """Another process held the database for too long."""


class RateLimited(BusyError):
    """Too many requests came in too little time."""

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds until it is worth trying again."""


class ServerUnreachable(BusyError):
    """The server cannot be reached or does not answer a question; a change that may have been made is `AnswerLost`."""

    def __init__(self, message: str, *, was_sent: bool = False) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """Whether the question was sent, and its answer did not come."""


class LeaseLost(BusyError):
    """The job was taken over by another worker; this result was discarded."""


class StorageError(RemanentError):
    """The storage under Remanent failed; nothing was acknowledged."""


class StorageFull(StorageError):
    """No room is left on the device; reading still works."""


class AuditFailed(StorageError):
    """What was asked for was done, and could not be noted in the audit log; it is noted as soon as that is possible."""


class IntegrityError(StorageError):
    """Stored bytes are damaged; nothing was deleted."""


class DatabaseMissing(IntegrityError):
    """An agent's database is gone while what belongs to it is still there; an empty memory would be a lie."""


class DamagedExport(IntegrityError):
    """An export was cut or changed since it was written; nothing of it was taken in."""


class KeysDamaged(IntegrityError):
    """The file of keys cannot be read; nobody is let in until it is restored or a key is made at the machine."""


class SchemaTooNew(StorageError):
    """The data was written by a newer Remanent; upgrade to open it."""


class StoreClosed(StorageError):
    """The store was used after it was closed."""


class SetupError(RemanentError):
    """The installation or the configuration must change."""


class InvalidSettings(SetupError):
    """A setting is unknown or malformed."""


class MissingDependency(SetupError):
    """An optional package is needed for what was asked."""


class LanguageError(RemanentError):
    """A model did not do its part; nothing that was said is lost."""

    tokens: int = 0
    """What the failed attempt took of a model: its requests, and answers that could not be used."""


class ModelUnavailable(LanguageError):
    """The model could not be reached, was overloaded or took too long; later may work."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds to wait before it is worth trying again, if that is known."""


class ModelRejected(LanguageError):
    """The model's provider refused the request; the same request will be refused again."""


class ModelDenied(ModelRejected):
    """The provider refuses the key, the account has no quota left, or there is no such model."""


class Refused(LanguageError):
    """The model's answer could not be used, not even after it was told why."""


class AnswerLost(RemanentError):
    """A request that changes something was sent, and no answer came: it may have been done; look, then ask again."""

    def __init__(self, message: str, *, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key
        """What the request was sent with: sent again with it, it is not done twice."""


class ToolFailed(RemanentError):
    """A tool of an agent did not do its part; its message is for the agent, which may try something else."""


class JobFailed(RemanentError):
    """Background work gave up; the job is kept as a dead letter."""
