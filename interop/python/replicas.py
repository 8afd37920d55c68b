"""Unmodified clients against three servers that die one after the other. Rewards must equal those of one server.

No client of these packages sends a step again when its connection breaks: it raises an error. Where a client cannot
rejoin an episode, the rollout is played again from its seed, as trainers do. Usage: replicas.py REPLICAS ONE_SERVER
"""

import asyncio
import importlib.util
import sys

from checks import Skip, check, equal, run
from replicas_moves import move_at

replicas, single = (f"{address.rstrip('/')}/env/frozen-lake" for address in sys.argv[1:3])
seeds = range(100, 124)
again = 0


def needs(package):
    if importlib.util.find_spec(package) is None:
        raise Skip(f"{package} is not installed here")


async def until_played(play, seed):
    """Plays a rollout again while a server dies in it."""
    global again
    for _ in range(50):
        try:
            return await play(seed)
        except Exception as error:
            again += 1
            last = error
            await asyncio.sleep(0.1)
    raise last


async def compare(play):
    global again
    again = 0
    alone = await asyncio.gather(*(play(single, seed) for seed in seeds))
    several = await asyncio.gather(*(until_played(lambda seed: play(replicas, seed), seed) for seed in seeds))
    equal(several, alone, "positions, rewards and endings")
    return f"{len(seeds)} rollouts, {again} played again"


@check
async def openenv_clients():
    """openenv: GenericEnvClient plays over /ws while servers die; broken rollouts are played again"""
    needs("openenv")
    from openenv.core import GenericEnvClient

    async def play(address, seed):
        async with GenericEnvClient(base_url=address) as client:
            result = await client.reset(seed=seed)
            seen, reward = [], 0
            for step in range(20):
                action = {"type": "call_tool", "tool_name": "lake_move", "arguments": {"action": move_at(seed, step)}}
                result = await client.step(action)
                await asyncio.sleep(0.1)  # a model thinks
                seen.append(result.observation["result"]["data"]["position"])
                reward += result.reward
                if result.done:
                    break
            return seen, reward, result.done

    return await compare(play)


@check
async def eval_protocol_rollouts():
    """eval-protocol: ep.rollout with a scripted model while servers die; failed rows are played again"""
    needs("eval_protocol")
    from eval_protocol_play import play_row

    return await compare(play_row)


@check
async def mcp_clients():
    """mcp: the official client continues its episode after a server died, with a key in _meta"""
    needs("mcp")
    try:
        from mcp_play import play_episode
    except ImportError:
        raise Skip("mcp 1.x does not know 2026-07-28") from None

    return await compare(play_episode)


@check
def trl_environments():
    """trl: the environment class of its documentation, which connects and replays its moves when a server dies"""
    needs("openenv")
    from openenv.core import GenericEnvClient

    class Lake:
        def __init__(self, address):
            self._address, self._client = address, None

        def reset(self, seed):
            self._seed, self._moves = seed, []
            return self._until_answered(lambda: self._begin())

        def move(self, action):
            self._moves.append(action)
            return self._until_answered(self._last)

        def _begin(self):
            self._close()
            self._client = GenericEnvClient(base_url=self._address).sync()
            self._client.connect()
            self._result, self._reward, self._played = self._client.reset(seed=self._seed), 0, 0
            return self._result

        def _last(self):
            """Makes the moves that this episode does not have yet: all of them in a new one."""
            if self._client is None:
                self._begin()
            while self._played < len(self._moves):
                action = {"tool_name": "lake_move", "arguments": {"action": self._moves[self._played]}}
                self._result = self._client.step(action)
                self._played, self._reward = self._played + 1, self._reward + self._result.reward
            return self._result

        def _until_answered(self, send):
            global again
            for _ in range(100):
                try:
                    return send()
                except Exception as error:
                    again, last = again + 1, error
                    self._close()
            raise last

        def _close(self):
            client, self._client = self._client, None
            try:
                if client is not None:
                    client.close()
            except Exception:
                pass  # its server is dead

    def play(address):
        played = []
        for seed in seeds[:20]:
            lake = Lake(address)
            lake.reset(seed)
            for step in range(20):
                if lake.move(move_at(seed, step)).done:
                    break
            played.append((lake._reward, lake._result.done, lake._result.observation["result"]["data"]["position"]))
            lake._close()
        return played

    global again
    again = 0
    alone = play(single)
    for _ in range(3):
        equal(play(replicas), alone, "rewards, endings and positions")
    return f"{3 * len(alone)} rollouts, {again} errors"


run()
