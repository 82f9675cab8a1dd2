"""Figures of a running server in the text form of Prometheus; none of them names a tenant."""

import os
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path

from remanent.model import UsageFigures

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts requests by route, method and status, and how long they took."""

    def __init__(self) -> None:
        self.under_way = 0
        self._requests: dict[tuple[str, str, int], int] = defaultdict(int)
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request that has been answered."""
        self._requests[(route, method, status)] += 1
        self._buckets[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, *, usage: UsageFigures | None = None, **gauges: float) -> str:
        """Return everything as Prometheus reads it."""
        lines = [
            "# HELP remanent_requests_total Requests by route, method and status.",
            "# TYPE remanent_requests_total counter",
        ]
        for (route, method, status), count in sorted(self._requests.items()):
            lines.append(f'remanent_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}')
        lines += [
            "# HELP remanent_request_seconds How long requests took.",
            "# TYPE remanent_request_seconds histogram",
        ]
        for route, counts in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                total += count
                lines.append(f'remanent_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'remanent_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'remanent_request_seconds_count{{route="{route}"}} {total}')
        lines += _usage(usage or UsageFigures())
        for name, value in {"requests_under_way": self.under_way, **gauges, **_process()}.items():
            lines += [f"# TYPE remanent_{name} gauge", f"remanent_{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _usage(usage: UsageFigures) -> list[str]:
    """Return what models took, by model and by role."""
    embedding = [(f'{{model="{_label(one.model)}"}}', one) for one in usage.embedding]
    roles = [(f'{{role="{_label(one.role)}"}}', one) for one in usage.roles]
    counters: dict[str, list[tuple[str, float]]] = {
        "embedded_texts_total": [(label, one.texts) for label, one in embedding],
        "embedding_seconds_total": [(label, one.seconds) for label, one in embedding],
        "embedding_failures_total": [(label, one.failures) for label, one in embedding],
        "role_runs_total": [(label, one.runs) for label, one in roles],
        "role_requests_total": [(label, one.requests) for label, one in roles],
        "role_input_tokens_total": [(label, one.input_tokens) for label, one in roles],
        "role_output_tokens_total": [(label, one.output_tokens) for label, one in roles],
        "role_cost_dollars_total": [(label, one.cost) for label, one in roles if one.cost is not None],
        "role_failures_total": [(label, one.failures) for label, one in roles],
    }
    lines: list[str] = []
    for name, values in counters.items():
        if values:
            lines.append(f"# TYPE remanent_{name} counter")
            lines += [f"remanent_{name}{label} {value:g}" for label, value in values]
    return lines


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _process() -> dict[str, float]:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {"resident_memory_bytes": float(pages * os.sysconf("SC_PAGE_SIZE"))}
