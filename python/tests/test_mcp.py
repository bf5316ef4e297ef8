"""deeppsl mcp, by the protocol's own client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from deeppsl import _binary

MODEL = {
    "rules": ["1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2", "0.4: !Likes(A, T) ^2"],
    "predicates": {
        "Knows/2": {"observations": [["ann", "bob"], ["bob", "cy"]]},
        "Likes/2": {
            "observations": [["ann", "jazz", 0.9]],
            "targets": [["bob", "jazz"], ["cy", "jazz"]],
        },
    },
}
BOB = {"predicate": "Likes", "arguments": ["bob", "jazz"]}
READ = ["check", "query", "explain", "what_if"]
WRITE = ["assert", "retract"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(MODEL))
    return path


def server(path: Path, *flags: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=_binary.find(), args=["mcp", "--quiet", str(path), *flags]
    )


async def use(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; what it answers as text and as a value is the same."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    [text] = result.content
    answer = json.loads(text.text)  # type: ignore[union-attr]
    assert answer == result.structured_content
    return dict(answer)


def test_every_tool(path: Path) -> None:
    """The client lists and calls each; changes are seen by the next call, and after a new start."""

    async def talk() -> None:
        journal = str(path.parent / "changes")
        flags = ["--allow-changes", "--journal", journal]
        async with Client(server(path, *flags)) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == READ + WRITE

            known = await use(client, "check")
            assert known["proof"]["status"] == "optimal"
            assert [rule["weight"] for rule in known["rules"]] == [1, 0.4]

            found = await use(client, "query", predicate="Likes", min=0.2)
            before = {tuple(a["arguments"]): a["value"] for a in found["atoms"]}
            assert set(before) == {("bob", "jazz"), ("cy", "jazz")}
            assert found["proof"]["gap"] <= 1e-4

            why = await use(client, "explain", **BOB)
            total = sum(leaf["adds"] for leaf in why["sum_of"]) + why["sum_of_the_rest"]
            assert total == pytest.approx(why["value"], abs=1e-6)

            change = {"change": "observe", **BOB, "value": 1.0}
            would = await use(client, "what_if", changes=[change])
            values = {tuple(a["arguments"]): a["value"] for a in would["atoms"]}
            assert values["cy", "jazz"] > before["cy", "jazz"]

            await use(client, "assert", facts=[BOB])
            found = await use(client, "query", predicate="Likes")
            [cy] = found["atoms"]
            assert cy["value"] == pytest.approx(values["cy", "jazz"], abs=1e-3)
            assert found["proof"]["version"] == 1

        async with Client(server(path, *flags)) as client:
            found = await use(client, "query", predicate="Likes", arguments=["bob", "jazz"])
            assert found["atoms"][0]["value"] == 1
            await use(client, "retract", atoms=[BOB], infer=True)
            found = await use(client, "query", predicate="Likes")
            after = {tuple(a["arguments"]): a["value"] for a in found["atoms"]}
            assert after == pytest.approx(before, abs=1e-3)

    asyncio.run(talk())


def test_read_only(path: Path) -> None:
    """Without the flag nothing can be changed, and what is refused says so."""

    async def talk() -> None:
        async with Client(server(path)) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == READ
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed.tools)
            with pytest.raises(Exception, match="--allow-changes"):
                await client.call_tool("assert", {"facts": [BOB]})
            result = await client.call_tool("query", {"predicate": "Nothing"})
            assert result.is_error

    asyncio.run(talk())
