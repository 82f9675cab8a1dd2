"""How the server listens."""

import socket

from remanent.server.running import _listen


def test_small_answers_are_sent_at_once() -> None:
    # asyncio turns off waiting for fuller packets only where a socket, and so what it accepts, names its protocol.
    with _listen("127.0.0.1", 0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.proto == socket.IPPROTO_TCP
