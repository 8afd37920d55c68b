"""What every agent SDK must manage against our server. An SDK's own file says how it connects, lists and calls."""

import json
import re
import urllib.request
from dataclasses import dataclass

from checks import check, env, equal, get, holds, post, run
from lake import solution


@dataclass
class Reply:
    """What an SDK tells of a call. `value` is the structured result, if the SDK gives one."""

    text: str
    value: object = None
    is_error: bool = False

    def data(self):
        return json.loads(self.text) if self.value is None else self.value


def run_sdk(connect):
    """Runs the checks. `connect(url)` is an async context manager of a client with `list()` and `call(name, input)`."""

    @check
    async def lists():
        """It connects and lists the tools"""
        async with connect(f"{env('till')}/mcp") as client:
            names = await client.list()
        equal(sorted(names), ["broken", "forbidden", "late", "refund"])

    @check
    async def plays():
        """It plays an episode, and the reward is that of the same moves in process"""
        episode = post(f"{env('frozen-lake')}/control/episodes", {"seed": 42})["id"]
        address = f"{env('frozen-lake')}/control/episodes/{episode}"
        try:
            async with connect(f"{env('frozen-lake')}/e/{episode}/mcp") as client:
                equal(await client.list(), ["lake_move"])
                for action in solution:
                    reply = await client.call("lake_move", {"action": action})
                    assert not reply.is_error, reply.text
                equal(reply.data()["position"], 15, "the last position")
                after = await client.call("lake_move", {"action": "LEFT"})
                assert after.is_error, f"a call after the end: {after}"
            played = get(address)
            equal((played["total_reward"], played["terminated"], played["step_count"]), (1.0, True, 6))
        finally:
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE"), timeout=10).close()

    @check
    async def waits():
        """It reads that a call waits for approval, and gets the structured result after it"""
        async with connect(f"{env('till')}/mcp") as client:
            await client.list()
            asked = await client.call("refund", {"amount": 300})
            assert asked.is_error, asked
            holds(asked.text, "Refund 300?")
            [approval] = re.findall(r"approval ([0-9a-f]+)", asked.text)
            post(f"{env('person')}/mcp/execute", {"tool": "approve", "arguments": {"id": approval}})
            reply = await client.call("refund", {"amount": 300})
            assert not reply.is_error, reply
            equal(reply.data(), {"refunded": 300})

    @check
    async def fails():
        """It reads why a call was refused, and why a tool failed"""
        async with connect(f"{env('till')}/mcp") as client:
            await client.list()
            for tool, why in [("forbidden", "Nobody may call this tool"), ("broken", "kaput")]:
                reply = await client.call(tool, {})
                assert reply.is_error, reply
                holds(reply.text, why)

    run()
