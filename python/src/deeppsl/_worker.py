"""The engine's process, and requests to it."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _binary, _errors, _frames, _interrupts

if TYPE_CHECKING:
    import queue
    import subprocess
    from collections.abc import Callable, Iterator
    from typing import IO

    #: What a call asks for, with its arrays, to what answers it, with its arrays.
    OnCall = Callable[[dict[str, Any], list[Any]], tuple[dict[str, Any], list[Any]]]

PROTOCOL = 1
_PATIENCE = 2.0  # seconds that a process has to end once its input has
_LOOK = 0.2  # seconds
_TOLD = 4000  # bytes of what a process wrote to stderr that errors show
_SMALL = 1 << 16  # bytes that are copied, so as to be written at once


class Worker:
    """A process of `deeppsl worker`. It ends with this object, and with this process, however that ends."""

    def __init__(self) -> None:
        import queue
        import tempfile

        self._owner = os.getpid()
        self._stderr = tempfile.TemporaryFile()  # without a name; what a crash leaves is read from it
        try:
            self._process = _start(self._stderr)
        except BaseException:
            self._stderr.close()
            raise
        self._replies: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._ids = 0
        self._calling = 0  # the thread in which something of the user's runs, while a request is answered
        self._asking = threading.Lock()
        # A thread reads, since only the main thread is interrupted, which could then have taken a part of a frame.
        reader = threading.Thread(target=_read, args=(self._process.stdout, self._replies), daemon=True)
        reader.start()
        self._end = weakref.finalize(self, _end, self._process, self._stderr, self._owner)
        try:
            self.version: str = self.ask("hello", {"protocol": PROTOCOL})[0]["version"]
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Tell whether requests can be answered."""
        return self._end.alive and self._owner == os.getpid() and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Return the number of the process."""
        return self._process.pid

    def close(self) -> None:
        """End the process."""
        self._end()

    def ask(
        self,
        do: str,
        fields: dict[str, Any],
        arrays: list[Any] | None = None,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        on_call: OnCall | None = None,
    ) -> tuple[dict[str, Any], list[Any]]:
        """Send a request, and return what it answers and its arrays.

        An interrupt cancels the request and is raised once that has ended; a second one ends the process. Events go to
        on_event, and what the engine asks for in between to on_call, whose errors are raised in place of the engine's.
        """
        if self._calling == threading.get_ident():
            raise _errors.WorkerError("the engine waits for a network or for progress, which cannot ask the same model for something")
        if self._owner != os.getpid():
            raise _errors.WorkerError("the engine belongs to the process that this one was forked from: make a new model")
        with self._asking:
            if not self._end.alive:
                raise _errors.WorkerError("the engine's process has been ended")
            with _interrupts.Interrupts() as interrupts:
                said = _Said(on_event, on_call, interrupts, [])
                request = self._send({"do": do, **fields}, arrays or [])
                try:
                    reply = self._await(request, said)
                except BaseException as reason:  # above all KeyboardInterrupt
                    if said.raised and isinstance(reason, _errors.FailedError):
                        raise said.raised[0] from None
                    if not isinstance(reason, _errors.DeepPSLError):
                        self._cancel(request, said)
                    raise
                if said.raised:
                    raise said.raised[0]
            return reply

    def _send(self, header: dict[str, Any], arrays: list[Any]) -> int:
        self._ids += 1
        self._write({"id": self._ids, **header}, arrays)
        return self._ids

    def _write(self, header: dict[str, Any], arrays: list[Any]) -> None:
        pieces = _frames.encode(header, arrays)
        if sum(map(len, pieces)) <= _SMALL:
            pieces = [b"".join(pieces)]
        assert self._process.stdin is not None
        try:
            for piece in pieces:
                _write(self._process.stdin.fileno(), memoryview(piece))
        except (BrokenPipeError, ConnectionError):
            raise self._died() from None
        except BaseException:
            self.close()  # a part of a frame may have been written
            raise

    def _await(self, request: int, said: _Said) -> tuple[dict[str, Any], list[Any]]:
        while True:
            frame = _get(self._replies, said.interrupts)
            if frame is None:
                raise self._died()
            header, arrays = frame
            if "call" in header:
                self._answer(header["call"], arrays, said)
            elif header["id"] != request:
                if header["id"] == 0:
                    raise _errors.from_reply(header["error"])
                continue  # of a request that was cancelled
            elif "event" in header:
                if said.on_event is not None:
                    with self._called(said):
                        said.on_event(header["event"])
            elif "error" in header:
                raise _errors.from_reply(header["error"])
            else:
                return header["ok"], arrays

    def _answer(self, call: dict[str, Any], arrays: list[Any], said: _Said) -> None:
        """Compute what the engine asks for; an error goes to the engine, which gives up what it does."""
        try:
            if said.on_call is None:
                raise _errors.WorkerError(f"nobody computes the network {call['network']!r}")
            with self._called(said):
                members, out = said.on_call(call, arrays)
        except BaseException as error:
            self._write({"call": call["number"], "error": f"{type(error).__name__}: {error}"}, [])
            if not isinstance(error, Exception):
                raise
            said.raised.append(error)
            return
        self._write({"call": call["number"], **members}, out)

    @contextlib.contextmanager
    def _called(self, said: _Said) -> Iterator[None]:
        """Let something of the user's run, which can be interrupted, and can ask this process for nothing."""
        self._calling = threading.get_ident()
        try:
            with said.interrupts.allowed():
                yield
        finally:
            self._calling = 0

    def _cancel(self, request: int, said: _Said) -> None:
        """Cancel a request and wait until it is answered; whatever keeps that from ending well ends the process."""
        try:
            self._send({"do": "cancel", "request": request}, [])
            self._await(request, said._replace(on_event=None, raised=[]))
        except _errors.DeepPSLError:
            pass
        except BaseException:
            self.close()
            raise

    def _died(self) -> _errors.WorkerError:
        try:
            code: int | None = self._process.wait(_PATIENCE)
        except Exception:
            code = None
        told = ""
        try:
            self._stderr.seek(0)
            told = self._stderr.read(_TOLD).decode(errors="replace").strip()  # a trace begins with what it is about
        except (OSError, ValueError):
            pass
        self.close()
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return _errors.WorkerError(f"the engine's process ended {how}" + (f":\n{told}" if told else ""))


def _start(stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the process, out of reach of Ctrl-C: requests are cancelled, and not the process ended."""
    import subprocess

    command = [_binary.find(), "worker", "--parent", str(os.getpid())]
    if os.name == "nt":
        del command[2:]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
    )


def _read(stream: Any, replies: queue.SimpleQueue[Any]) -> None:
    """Put frames into a queue, and None behind the last one."""
    with stream:
        try:
            while (frame := _frames.read(stream)) is not None:
                replies.put(frame)
        except (OSError, ValueError):
            pass  # no frame
    replies.put(None)


class _Said(NamedTuple):
    """Who hears what the engine says before it replies."""

    on_event: Callable[[dict[str, Any]], None] | None
    on_call: OnCall | None
    interrupts: _interrupts.Interrupts
    raised: list[Exception]  #: by on_call


def _get(replies: queue.SimpleQueue[Any], interrupts: _interrupts.Interrupts) -> Any:
    """Wait for a frame, and look for interrupts before each and now and then."""
    import queue

    while True:
        interrupts.check()
        try:
            return replies.get(timeout=_LOOK)
        except queue.Empty:
            continue


def _write(descriptor: int, data: memoryview) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _end(process: subprocess.Popen[bytes], stderr: IO[bytes], owner: int) -> None:
    """End a process, if it is this one's child."""
    if os.getpid() != owner:
        return
    try:
        if process.stdin is not None:
            process.stdin.close()
        process.wait(_PATIENCE)
    except Exception:
        process.kill()
        process.wait()
    stderr.close()
