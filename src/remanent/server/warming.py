"""Loading what the first requests would wait for, in the background while the server listens already."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from remanent.errors import RemanentError
from remanent.memory import AsyncMemory

_logger = logging.getLogger(__name__)


class Warming:
    """Loads the models, then the indexes of the agents that were used last."""

    def __init__(self, memory: AsyncMemory, *, agents: int) -> None:
        self._memory = memory
        self._agents = agents
        self.models = asyncio.Event()
        """Set when the models are loaded, as far as they can be: from then on the server calls itself ready."""
        self.done = asyncio.Event()
        """Set when the indexes are loaded, too."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be at work while this lasts; whatever is not done at the end is left."""
        task = asyncio.create_task(self._warm(), name="remanent serve: warming")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _warm(self) -> None:
        try:
            await self._memory.warm(agents=0)
            self.models.set()
            await self._memory.warm(agents=self._agents)
            self.done.set()
        except RemanentError as error:
            _logger.warning("not everything could be loaded beforehand: %s", type(error).__name__)
        finally:
            self.models.set()
