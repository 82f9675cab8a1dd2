"""Under which names a server answers, and which addresses are the machine's own."""

import ipaddress

from remanent.settings import ServerSettings

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def allowed_hosts(settings: ServerSettings) -> frozenset[str]:
    """Return the names that a request may be sent to; a browser that was lured here sends another."""
    own = settings.host.lower()
    given = {name.strip().lower() for name in settings.allowed_hosts.split(",") if name.strip()}
    bound = {f"[{own}]" if ":" in own else own} - {"0.0.0.0", "[::]"}
    return frozenset({*LOOPBACK, *bound, *given})


def name_of(header: str) -> str:
    """Return the name in a Host header without its port."""
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()
