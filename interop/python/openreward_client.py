"""OpenReward's own client plays our server over ORS."""

import asyncio
import os

from checks import check, episodes, equal, holds, run, until, url

os.environ["OPENREWARD_SESSION_URL"] = url
os.environ["OPENREWARD_API_URL"] = url  # nothing else is asked for tasks
os.environ.pop("OPENREWARD_API_KEY", None)

from openreward import AsyncOpenReward, OpenReward  # noqa: E402
from openreward.api.errors import SessionTerminatedError, ToolCallError, ToolFailed  # noqa: E402
from rollouts import actions, breaks, games, masked_breaks, tell  # noqa: E402

client = OpenReward()


def raises(kind, work):
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def play(name, index, calls):
    """Plays until the end, and returns the last reward that is not null."""
    played, reward, finished, masked = [], 0.0, False, False
    environment = client.environments.get(name)
    with environment.session(task=environment.get_task("train", index)) as session:
        for tool, arguments in calls:
            played.append([tool, arguments])
            try:
                output = session.call_tool(tool, arguments)
            except ToolCallError:
                continue
            except ToolFailed:
                reward, masked = None, True
                break
            reward = reward if output.reward is None else output.reward
            finished = output.finished
            if finished:
                break
    tell(name, index, played, reward=reward, finished=finished, masked=masked)
    return reward, masked


@check
def catalogue():
    """Splits, tasks and tools are listed, and tasks hold no answers"""
    for name in games:
        environment = client.environments.get(name)
        equal(environment.list_splits(), ["train", "test"], name)
        equal(environment.num_tasks("train"), 1000)
        equal(environment.get_task("train", 7).task_spec, {"id": "seed_7", "split": "train", "index": 7})
        equal([task.task_spec["index"] for task in environment.get_task_range("test", -2)], [98, 99])
        equal(len(environment.list_tasks("test")), 100)
        assert environment.list_tools(), name
        holds(client.environments.get("any", variant=name).list_tools()[0].name, "_")


@check
def prompt_and_messages():
    """A session has a prompt, messages and tools"""
    environment = client.environments.get("frozen-lake")
    with environment.session(split="train", index=7) as session:
        [block] = session.get_prompt()
        holds(block.text, "grid")
        [message] = session.get_messages()
        equal((message.role, message.blocks[0].text), ("user", block.text))
        equal([tool.name for tool in session.list_tools()], ["lake_move"])
        equal(session.version() if hasattr(session, "version") else {"build_sha": None}, {"version": "1.0.0", "build_sha": None})


@check
def random_rollouts():
    """Rollouts of five games end, and their last reward is the episode's"""
    for name, count in games.items():
        tools = {tool.name: tool.input_schema for tool in client.environments.get(name).list_tools()}
        for index in range(12):
            play(name, index, actions(tools, count, index))


@check
def failures_are_no_rewards():
    """A judge, an environment and a tool that die in the middle mask the rollout; a refusal does not"""
    for index, (what, names) in enumerate(breaks.items()):
        reward, masked = play("fragile", index, [(name, {}) for name in names])
        equal(masked, what in masked_breaks, what)
        equal(reward is None, masked, what)


@check
def dead_session():
    """After a failure the session is dead, and the server has ended its episode"""
    with client.environments.get("fragile").session(split="train", index=0) as session:
        session.call_tool("number_count")
        holds(raises(ToolFailed, lambda: session.call_tool("judge_kill")), "the judge is gone")
        raises(SessionTerminatedError, lambda: session.call_tool("number_count"))
        until(lambda: episodes("fragile") == [], what="the episode is gone")


@check
def refusals():
    """Unknown tools, bad input and calls after the end are refused by reason, and the session lives"""
    with client.environments.get("frozen-lake").session(split="train", index=42) as session:
        for tool, arguments, reason in [("nope", {}, "not_found"), ("lake_move", {"action": "FLY"}, "input_validation")]:
            equal(raises(ToolCallError, lambda: session.call_tool(tool, arguments)).reason, reason)
        while not session.call_tool("lake_move", {"action": "RIGHT"}).finished and not session.call_tool(
            "lake_move", {"action": "DOWN"}
        ).finished:
            pass
        after = raises(ToolCallError, lambda: session.call_tool("lake_move", {"action": "UP"}))
        equal(after.reason, "episode_finished")


@check
def unknown_task():
    """A task that does not exist begins no session"""
    environment = client.environments.get("frozen-lake")
    holds(raises(Exception, lambda: environment.get_task("train", 5000)).message, "Invalid index")
    holds(raises(Exception, lambda: environment.get_task("nope", 0)).message, "Invalid split")
    equal(episodes("frozen-lake"), [])


@check
def deleted_elsewhere():
    """A session whose episode a trainer ended says that it is terminated"""
    with client.environments.get("fragile").session(split="train", index=3) as session:
        session.call_tool("number_count")
        [episode] = episodes("fragile")
        import urllib.request

        address = f"{url}/env/fragile/control/episodes/{episode['id']}"
        urllib.request.urlopen(urllib.request.Request(address, method="DELETE"), timeout=10).close()
        raises(SessionTerminatedError, lambda: session.call_tool("number_count"))


@check
async def many_at_once():
    """Forty sessions play at once, each its own episode"""
    many = AsyncOpenReward()
    environment = many.environments.get("fragile")

    async def one(index):
        async with environment.session(split="train", index=index) as session:
            total = 0
            for _ in range(5):
                output = await session.call_tool("number_count", {})
                total = output.reward
            return total, output.finished

    equal(await asyncio.gather(*(one(index) for index in range(40))), [(5, True)] * 40)


@check
def lost_connection():
    """A call whose connection was cut is made once, and its result is read by its id"""
    import http.client
    import json
    from urllib.parse import urlsplit

    address = urlsplit(url)
    sid = "interop-lost"
    headers = {"content-type": "application/json", "x-session-id": sid, "x-deployment": "fragile"}

    def send(path, body):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
        connection.request("POST", path, json.dumps(body), headers)
        return connection, connection.getresponse()

    send("/create", {"split": "train", "index": 0})[1].read()
    connection, response = send("/call", {"name": "number_count", "input": {}})
    response.readline()
    task_id = response.readline().decode().removeprefix("data: ").strip()
    connection.close()
    _, again = send("/call", {"name": "number_count", "input": {}, "task_id": task_id})
    holds(again.read().decode(), '"step_count":1', '"text":"1"')
    send("/delete", {})[1].read()


@check
def nothing_left():
    """No session is left"""
    for name in [*games, "fragile"]:
        until(lambda name=name: episodes(name) == [], what=f"{name} has no episode")


if __name__ == "__main__":
    run()
    client.close()
