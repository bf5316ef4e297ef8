"""Machines that a cluster of Ray loses, as several Rays on this one; where Ray is installed."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deeppsl
from clusters import answers, below, blocks, one, ring, towns
from deeppsl import _binary

ray: Any = pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("default")

#: The engine, which tells that it has a shard, and waits as long as it is held.
_HELD = """#!/bin/sh
case "$*" in *--shard*) touch '{folder}'/has-$$; while [ -e '{folder}/hold' ]; do sleep 0.01; done ;; esac
exec '{binary}' "$@"
"""


class Machines:
    """A head, which solves nothing, and two machines with a processor each."""

    def __init__(self, folder: Path) -> None:
        from ray.cluster_utils import Cluster

        self.folder = folder
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self.nodes = [self.cluster.add_node(num_cpus=1) for _ in range(2)]

    def lose(self) -> None:
        """Kill -9 one, and all that runs on it, which its Ray ends only when it gets to it."""
        node = self.nodes.pop()
        raylet = node.all_processes["raylet"][0].process.pid
        running = below(raylet)
        self.cluster.remove_node(node, allow_graceful=False)
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def add(self) -> None:
        """Start another one."""
        self.nodes.append(self.cluster.add_node(num_cpus=1))


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    folder = tmp_path_factory.mktemp("engine")
    engine = folder / "engine"
    engine.write_text(_HELD.format(folder=folder, binary=_binary.find()))
    engine.chmod(0o755)
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("RAY_AUTH_MODE", "disabled")  # no file in the home folder
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        patch.setenv("DEEPPSL_BINARY", str(engine))
        made = Machines(folder)
        ray.init(address=made.cluster.address, log_to_driver=False)
        yield made
        ray.shutdown()
        made.cluster.shutdown()


def test_shards_of_a_machine_that_is_lost_are_solved_elsewhere(tmp_path: Path, machines: Machines) -> None:
    from deeppsl.ray import run

    config = towns(tmp_path)
    hold = machines.folder / "hold"
    hold.touch()

    def lose() -> None:
        until = time.monotonic() + 300
        try:
            while time.monotonic() < until and len(list(machines.folder.glob("has-*"))) < 2:  # each machine has one
                time.sleep(0.01)
            machines.lose()
        finally:
            hold.unlink()

    loser = threading.Thread(target=lose, daemon=True)
    loser.start()
    answer = run(config, shards=4, directory=tmp_path / "parts")
    loser.join()
    assert len(machines.nodes) == 1
    assert answer.optimal and answers(tmp_path / "parts") == one(config, tmp_path / "one")


def test_blocks_of_a_machine_that_is_lost_wait_for_another(
    tmp_path: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deeppsl import ray as shards

    config = ring(tmp_path)
    told: list[shards.Done | shards.Round] = []
    lost: list[shards.Round] = []
    monkeypatch.setattr(shards, "_PATIENCE", 1.0)
    while len(machines.nodes) < 2:
        machines.add()

    def progress(step: shards.Done | shards.Round) -> None:
        told.append(step)
        if isinstance(step, shards.Round) and step.round == 3 and not lost:
            while len(machines.nodes) > 1:  # there are more if the blocks had to wait at the beginning
                machines.lose()
                lost.append(step)

    def warned(message: str, category: type[Warning], stacklevel: int) -> None:
        assert category is deeppsl.DeepPSLWarning and message.startswith("blocks wait for processors")
        machines.add()  # which only the main thread can

    monkeypatch.setattr(shards.warnings, "warn", warned)
    answer = shards.run(
        config, shards=2, by="vertices", directory=tmp_path / "parts", gap=1e-7, checkpoint=2, progress=progress
    )
    assert lost and len(machines.nodes) > 1
    assert answer.optimal and answers(tmp_path / "parts") == blocks(config, tmp_path / "files", 2)
    assert any(isinstance(step, shards.Round) and step.round > 3 for step in told)
