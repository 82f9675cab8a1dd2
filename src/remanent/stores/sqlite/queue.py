"""The durable queue: claiming in order, leases, and how it stands.

A lane is a line of jobs of which only the first may be claimed. A claim raises the job's `fence`: whoever holds an
older number has been taken over, and everything it still wants to write is refused with `LeaseLost`.
"""

from datetime import datetime, timedelta

import apsw

from remanent.errors import LeaseLost
from remanent.model import Job, Scope, from_millis, to_millis
from remanent.model.job import TIMER
from remanent.stores import rows
from remanent.stores.queries import QueueState
from remanent.stores.store import MAX_WAIT

# The first living job of each lane: only that one may run.
_HEADS = "SELECT min(seq) FROM jobs WHERE state != 'dead' GROUP BY lane"

_IS_TIMER = f"(state = 'pending' AND lane GLOB '{TIMER}*')"
_COUNTS = f"SELECT state, count(*) FROM jobs WHERE NOT {_IS_TIMER} GROUP BY state"

_CLAIM = f"""
UPDATE jobs SET state = 'running', worker = ?, fence = fence + 1, attempts = attempts + 1, lease_until = ?
WHERE seq IN (
    SELECT seq FROM jobs
    WHERE seq IN ({_HEADS}) AND (not_before IS NULL OR not_before NOT BETWEEN ? AND ?)
        AND (state = 'pending' OR lease_until NOT BETWEEN ? AND ?)
    ORDER BY seq LIMIT ?
)
RETURNING {rows.JOB_COLUMNS}
"""


def claim(
    connection: apsw.Connection, scope: Scope, *, worker: str, now: datetime, lease: timedelta, limit: int
) -> list[Job]:
    """Claim the next jobs that may run, each of another lane, oldest first."""
    waits = (to_millis(now) + 1, to_millis(now + MAX_WAIT))
    claimed = connection.execute(_CLAIM, (worker, to_millis(now + lease), *waits, *waits, limit)).fetchall()
    return sorted((rows.job_of(scope, row) for row in claimed), key=lambda job: job.seq)


def renew(connection: apsw.Connection, *, job_id: str, fence: int, until: datetime) -> None:
    """Prolong a lease that still holds."""
    sql = "UPDATE jobs SET lease_until = ? WHERE id = ? AND fence = ? AND state = 'running' RETURNING 1"
    if connection.execute(sql, (to_millis(until), job_id, fence)).get is None:
        raise LeaseLost(f"job {job_id} was taken over or finished by another worker")


def state(connection: apsw.Connection) -> QueueState:
    """Return how the queue stands.

    Timers are left out of the oldest, since they wait by design. When to look again is told by the heads of the lanes
    alone: what stands behind one cannot run before it.
    """
    counts = {str(name): int(many) for name, many in connection.execute(_COUNTS)}
    oldest, wake = connection.execute(
        f"""
        SELECT (SELECT min(enqueued_at) FROM jobs WHERE state != 'dead' AND NOT {_IS_TIMER}),
               min(max(ifnull(not_before, enqueued_at), ifnull(lease_until, enqueued_at)))
        FROM jobs WHERE seq IN ({_HEADS})
        """
    ).get
    return QueueState(
        pending=counts.get("pending", 0),
        running=counts.get("running", 0),
        dead=counts.get("dead", 0),
        oldest=None if oldest is None else from_millis(oldest),
        wake_at=None if wake is None else from_millis(wake),
    )
