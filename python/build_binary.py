"""Builds the binary that a wheel carries, and says which platform the wheel is for.

The environment may set DEEPPSL_TARGET to another platform than this one, as GOOS/GOARCH, and GOEXPERIMENT, which is
simd by default: it makes networks faster.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The binary is static, so that on Linux it runs with any C library; Go 1.26 needs macOS 12.
TAGS = {
    "linux/amd64": "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


class BinaryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the binary into the package, and the licences beside it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sources = Path(self.root).parent
        if not (sources / "cmd" / "deeppsl").is_dir():
            raise RuntimeError("a wheel of deeppsl is built in a checkout, where the Go sources are beside python/")
        target = os.environ.get("DEEPPSL_TARGET") or self._go(sources, "env", "GOOS") + "/" + self._go(
            sources, "env", "GOARCH"
        )
        if target not in TAGS:
            raise RuntimeError(f"there are no wheels for {target}, but for {', '.join(TAGS)}")
        binary = Path(self.directory) / "binary" / ("deeppsl.exe" if target.startswith("windows/") else "deeppsl")
        self._build(sources, target, binary)
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + TAGS[target]
        build_data["force_include"][str(binary)] = "deeppsl/_bin/" + binary.name
        for name in ("LICENSE", "NOTICE"):
            build_data["force_include"][str(sources / name)] = "deeppsl/" + name

    def _build(self, sources: Path, target: str, binary: Path) -> None:
        system, _, architecture = target.partition("/")
        env = dict(os.environ, GOOS=system, GOARCH=architecture, CGO_ENABLED="0", GOTOOLCHAIN="local")
        env.setdefault("GOEXPERIMENT", "simd")
        binary.parent.mkdir(parents=True, exist_ok=True)
        command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", str(binary), "./cmd/deeppsl"]
        subprocess.run(command, cwd=sources, env=env, check=True)

    @staticmethod
    def _go(sources: Path, *arguments: str) -> str:
        return subprocess.run(
            ["go", *arguments], cwd=sources, check=True, capture_output=True, text=True
        ).stdout.strip()
