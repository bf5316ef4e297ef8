"""Ctrl-C while frames come and go."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """Notes Ctrl-C, and raises it where no frame is cut in two or lost by that.

    Only the main thread is interrupted, and only if the handler is one of Python's.
    """

    def __init__(self) -> None:
        self._came = False
        self._before: Callable[..., Any] | None = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                signal.signal(signal.SIGINT, self._note)
                self._before = before
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: object) -> None:
        self._came = True

    def check(self) -> None:
        """Do what an interrupt that has come does, which is to raise KeyboardInterrupt as a rule."""
        if self._came and self._before is not None:
            self._came = False
            self._before(signal.SIGINT, None)

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let code that is the user's be interrupted where it is."""
        if self._before is None:
            yield
            return
        self.check()
        signal.signal(signal.SIGINT, self._before)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, self._note)
