"""Install packages with uv, in a quarter of pip's time, from where this machine's pip would take them.

`make` runs it with the interpreter of the environment, which has uv and nothing else yet. Where uv cannot do it (it
knows no keyring, and may be missing on a rare machine), pip does, with the same arguments.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
"""What pip is told by its configuration, and by which variable uv is told the same."""
SECTIONS = ("global", "install", ":env:")
"""Where pip is told, the strongest last."""


def settings_of_pip(listed: str) -> dict[str, str]:
    """Return as variables of uv what `pip config list` prints."""
    told: dict[str, str] = {}
    rows = [line.partition("=") for line in listed.splitlines()]
    for section in SECTIONS:
        for name, _, value in rows:
            place, _, key = name.rpartition(".")
            if place == section and key in SETTINGS:
                told[SETTINGS[key]] = " ".join(ast.literal_eval(value).split())
    return told


def environment(told: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return what uv is started with: what was set for uv itself is stronger, and any index may have a package."""
    return {"UV_INDEX_STRATEGY": "unsafe-best-match", **told, **own, "VIRTUAL_ENV": sys.prefix}


def main(arguments: Sequence[str]) -> int:
    """Install as the arguments say, and return how that ended."""
    uv = Path(sys.executable).with_name("uv")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    if uv.exists():
        listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=False).stdout
        quick = [str(uv), "pip", "install", "--quiet", *arguments]
        if subprocess.run(quick, env=environment(settings_of_pip(listed), os.environ), check=False).returncode == 0:
            return 0
        print("Going on with pip, which takes longer.", file=sys.stderr)
    # Twice quiet: errors are shown, the warnings of a machine's own configuration are not. Not compiled: what is never
    # imported need not be, and the first `make run` is a third quicker.
    return subprocess.run([*pip, "-qq", "install", "--no-compile", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
