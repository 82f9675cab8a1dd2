"""One hostile tenant: floods, huge bodies, half headers, costly questions and runs, until its input ends.

`… hostile <address> <key> <organisation> <connections>`. Prints as JSON how often it was answered how.
"""

import asyncio
import json
import sys
from collections import Counter
from urllib.parse import urlsplit

Told = Counter[str]
BEGUN = 10
"""Answers after which the attack is under way."""


class Hostile:
    """What it does, over connections of its own that are opened again when the server closes them."""

    def __init__(self, address: str, key: str, org: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or 0
        self._at = f"/v1/orgs/{org}/workspaces/lab/agents/mallory"
        self._org = org
        self._key = key
        self.told: Told = Counter()
        self.begun = asyncio.Event()

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {self._key}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    async def _again(self, what: str, sent: bytes, *, is_whole: bool = True) -> None:
        """Send the same again and again."""
        while True:
            try:
                reader, writer = await asyncio.open_connection(self._host, self._port)
            except OSError:
                self.told[f"{what}: not connected"] += 1
                await asyncio.sleep(0.05)
                continue
            try:
                while True:
                    writer.write(sent)
                    await writer.drain()
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.told[f"{what}: {head.split()[1].decode()}"] += 1
                    if self.told.total() >= BEGUN:
                        self.begun.set()
                    size = next(
                        (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), b""
                    )
                    await reader.readexactly(int(size.partition(b":")[2] or 0))
                    if not is_whole:
                        break
            except (OSError, asyncio.IncompleteReadError):
                self.told[f"{what}: closed"] += 1
            finally:
                writer.close()
            # An attacker has machines of its own; this one shares its cores with whom it attacks.
            await asyncio.sleep(0.5)

    async def attack(self, connections: int) -> None:
        """Do everything at the same time."""
        dates = " ".join(f"the {day}th of May {1900 + day}," for day in range(4000))[:99_000]
        costly = json.dumps({"query": f"what was on {dates}"}).encode()
        cheap = json.dumps({"query": "where was it"}).encode()
        huge = b'{"query": "x", "tags": [' + b"1," * 5_000_000 + b"1]}"
        escaped = b'{"query": "' + b"\\u00e9" * 1_000_000 + b'"}'
        many = json.dumps({"messages": [f"message {number} of many" for number in range(1000)]}).encode()
        asked = [{"question": "where was it", "texts": [str(number)]} for number in range(500)]
        evaluation = json.dumps({"questions": asked}).encode()
        half = f"POST {self._at}/recall HTTP/1.1\r\nhost: localhost\r\nx-half: ".encode()
        recall, entries = f"{self._at}/recall", f"{self._at}/entries"
        tasks = [self._again("half header", half, is_whole=False) for _ in range(connections)]
        for _ in range(max(1, connections // 16)):
            tasks += [
                self._again("flood", self._request("POST", recall, cheap)),
                self._again("costly", self._request("POST", recall, costly)),
                self._again("huge", self._request("POST", recall, huge)),
                self._again("escaped", self._request("POST", recall, escaped)),
                self._again("messages", self._request("POST", entries, many)),
                self._again("runs", self._request("POST", f"{self._at}/evaluations", evaluation)),
            ]
        await asyncio.gather(*tasks)


async def main(address: str, key: str, org: str, connections: int) -> None:
    """Attack until the input ends."""
    hostile = Hostile(address, key, org)
    attacking = asyncio.create_task(hostile.attack(connections))
    await hostile.begun.wait()
    print("begun", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    attacking.cancel()
    await asyncio.gather(attacking, return_exceptions=True)
    print(json.dumps(hostile.told))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
