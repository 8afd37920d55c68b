"""Plays an episode with the official MCP client. It connects again when its connection breaks, and sends the same call
with the same key: a server that knows it answers without playing the step again."""

import asyncio
import json
import urllib.request

from mcp import Client


def send(address, method="POST", body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.loads(response.read() or "{}")


async def play_episode(address, seed):
    from replicas_moves import move_at

    started = await asyncio.to_thread(send, f"{address}/control/episodes", body={"seed": seed})
    episode = started["id"]
    seen = []
    for step in range(20):
        meta = {"dev.biplane/episode": episode, "dev.biplane/idempotency-key": f"{episode} {step}"}
        told = await call(address, {"action": move_at(seed, step)}, meta)
        if told is None:
            break
        seen.append(told)
        await asyncio.sleep(0.05)
    await asyncio.to_thread(send, f"{address}/control/episodes/{episode}", "DELETE")
    return seen


async def call(address, arguments, meta):
    """The position after a move, or None if the episode is over."""
    for _ in range(50):
        try:
            async with Client(f"{address}/mcp", mode="2026-07-28") as client:
                result = await client.call_tool("lake_move", arguments, meta=meta)
        except Exception as error:
            last = error
            await asyncio.sleep(0.1)
            continue
        told = result.model_dump(mode="json", by_alias=True)
        if not told.get("isError"):
            return told["structuredContent"]["position"]
        if "EPISODE_ENDED" in json.dumps(told):
            return None
        raise RuntimeError(json.dumps(told))
    raise last
