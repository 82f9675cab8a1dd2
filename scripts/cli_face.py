"""Writes src/remanent/cli/commands.py: a command for each operation of this distribution, with its fields as options.

python scripts/cli_face.py            write it anew
python scripts/cli_face.py --check    say by exit code 1 that it is stale
"""

import sys
from pathlib import Path
from typing import Final

from remanent.cli.generation import commands_text
from remanent.discipline import registered
from remanent.operations import CATALOGUE
from remanent.plugins import OURS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.sync_face import tidy

REPOSITORY: Final = Path(__file__).resolve().parent.parent
TARGET: Final = REPOSITORY / "src" / "remanent" / "cli" / "commands.py"


def generate() -> str:
    """Give the text of the commands, before it is formatted."""
    others = {one.name for one in registered()} - OURS.keys()
    return commands_text(one for one in CATALOGUE.values() if one.name.partition(".")[0] not in others)


def main(*, target: Path = TARGET) -> int:
    """Write the commands, or with --check compare them."""
    fresh = tidy(generate())
    if target.exists() and target.read_text(encoding="utf-8") == fresh:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{target.name} is stale; run: make format", file=sys.stderr)
        return 1
    target.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
