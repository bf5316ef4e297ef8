"""The engine's process: it ends when it should, and what goes wrong with it is told."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import deeppsl
from conftest import ENDLESS, smokers
from deeppsl import _worker

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX'")


def endless() -> deeppsl.Model:
    return deeppsl.Model("1: T(X) ^2\n1: !T(X) ^2", **ENDLESS).target("T", ["a"])  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # a process that has ended, and that nobody has asked for yet, is none
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def await_end(pid: int) -> None:
    deadline = time.monotonic() + 20
    while alive(pid):
        assert time.monotonic() < deadline, f"process {pid} goes on"
        time.sleep(0.01)


def pid_of(model: deeppsl.Model) -> int:
    assert model._worker is not None
    return model._worker.pid


def test_ends_with_its_model() -> None:
    model = smokers()
    model.infer()
    pid = pid_of(model)
    del model
    gc.collect()
    await_end(pid)


def test_ends_when_closed_and_begins_anew() -> None:
    model = smokers()
    objective = model.infer().objective
    pid = pid_of(model)
    model.close()
    model.close()
    await_end(pid)
    assert model.infer().objective == objective
    assert pid_of(model) != pid
    model.close()


@posix
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
def test_ends_with_its_parent_however_that_ends(kill: signal.Signals, tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_process import *\n"
        "model = endless(); model._open(); print(pid_of(model), flush=True); model.infer()"
    )
    env = dict(os.environ, TMPDIR=str(tmp_path))
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    time.sleep(0.05)
    parent.send_signal(kill)
    parent.wait()
    parent.stdout.close()
    await_end(pid)
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_fork_that_lives_keeps_no_orphan(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_process import *\n"
        "model = smokers(); model._open()\n"
        "if os.fork() == 0: time.sleep(30); os._exit(0)\n"  # inherits the pipe
        "print(pid_of(model), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, str(Path(__file__).parent)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert parent.stdout is not None
    try:
        await_end(int(parent.stdout.readline()))
    finally:
        parent.wait()
        os.killpg(parent.pid, signal.SIGKILL)
        parent.stdout.close()


@posix
def test_a_process_that_is_killed_is_told_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = smokers()
    objective = model.infer().objective
    assert model._worker is not None
    model._worker._process.kill()
    model._worker._process.wait()
    assert model.infer().objective == objective  # in another process
    endless_model = endless()
    endless_model._open()
    threading.Timer(0.1, os.kill, (pid_of(endless_model), signal.SIGKILL)).start()
    with pytest.raises(deeppsl.WorkerError, match="signal 9"):
        endless_model.infer()
    assert list(tmp_path.iterdir()) == []
    model.close()


@posix
def test_a_crash_is_told() -> None:
    model = endless()
    model._open()
    threading.Timer(0.1, os.kill, (pid_of(model), signal.SIGABRT)).start()
    with pytest.raises(deeppsl.WorkerError, match="SIGABRT"):
        model.infer()


@posix
def test_an_interrupt_cancels_and_no_more() -> None:
    model = endless()
    model._open()
    pid = pid_of(model)
    for _ in range(3):
        threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,)).start()
        with pytest.raises(KeyboardInterrupt):
            model.infer()
    assert pid_of(model) == pid
    assert model.infer(seconds=0.01).status == "time limit"
    model.close()


def test_an_error_of_the_users_own_ends_a_request() -> None:
    pairs = [("ann", "bob"), ("bob", "cid")]
    with deeppsl.Model("1: Near(A, B) -> Knows(A, B) ^2\n1: !Knows(A, B) ^2", learning="perceptron") as model:
        model.observe("Near", pairs).target("Knows", pairs).truth("Knows", [("ann", "bob", 1.0), ("bob", "cid", 0.0)])

        def stop(epoch: deeppsl.Epoch) -> None:
            raise LookupError(epoch.number)

        with pytest.raises(LookupError):
            model.learn(progress=stop)
        assert model.infer().optimal


@posix
def test_a_fork_is_refused() -> None:
    model = smokers()
    model.infer()
    worker = model._worker
    assert worker is not None
    worker._owner += 1  # as a child would see it
    with pytest.raises(deeppsl.WorkerError, match="forked"):
        worker.ask("rules", {"session": 1})
    worker._owner -= 1
    model.close()


@posix
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_while_a_thread_uses_the_model_waits_for_nobody() -> None:
    model = smokers()
    used, done = threading.Event(), threading.Event()

    def use() -> None:
        with model._using:
            used.set()
            done.wait(20)

    thread = threading.Thread(target=use)
    thread.start()
    used.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        os._exit(0 if model.infer().optimal else 1)
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert status == 0
    model.close()


def test_threads_may_share_a_model(model: deeppsl.Model) -> None:
    found: list[float] = []


    def ask(k: int) -> None:
        if k % 3 == 0:
            model.observe("Friends", [(f"p{k}", f"q{k}")])  # which ends the session that others ask
        answer = model.infer()
        assert answer.value("Smokes", "bob") == answer["Smokes"]["value"][0]
        found.append(answer.objective)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and max(found) - min(found) < 1e-6


def test_progress_cannot_ask_its_own_model() -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2\n1: !Out(A) ^2", epochs=3) as model:
        model.observe("In", ["a"]).target("Out", ["a"]).truth("Out", {"a": 1.0})
        with pytest.raises(deeppsl.WorkerError, match="progress"):
            model.learn(progress=lambda _: model.rules)
        assert model.learn(progress=False).epochs and model.infer().optimal


def test_a_program_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPPSL_BINARY", "/does/not/exist")
    with pytest.raises(FileNotFoundError, match="/does/not/exist, which DEEPPSL_BINARY names, is no program"):
        _worker.Worker()


@posix
def test_a_program_that_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPPSL_BINARY", "/bin/echo")
    with pytest.raises(deeppsl.WorkerError, match="exit code 0|frame"):
        _worker.Worker()


def test_the_import_loads_nothing_that_takes_long() -> None:
    program = (
        "import sys, deeppsl; from deeppsl import Model, Predicate, Rule\n"
        "print(*{'numpy', 'pandas', 'polars', 'pyarrow', 'subprocess'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
