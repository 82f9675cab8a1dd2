"""What all tests share: a slow machine is no failure, and a run tries what the run before it tried.

New examples are looked for at full counts only (`make chaos` sets `REMANENT_CHAOS=full`; it works for any test).
"""

import os

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
settings.load_profile("searching" if os.environ.get("REMANENT_CHAOS") == "full" else "same")
