"""OpenEnv's own clients against our server. Uses private methods only for frames that no public method sends."""

import asyncio
import http.client
import importlib.metadata
import json
import subprocess
import sys
import time
import urllib.request

from checks import Skip, check, env, episodes, equal, get, holds, post, run, until, url
from lake import maps, rows, solution, way
from openenv.core import GenericAction, GenericEnvClient, MCPToolClient
from openenv.core.env_server import mcp_types, types

try:
    version = importlib.metadata.version("openenv")
except importlib.metadata.PackageNotFoundError:
    version = importlib.metadata.version("openenv-core")
version_numbers = tuple(map(int, version.split(".")))
has_metadata = version_numbers >= (0, 4)
lake = env("frozen-lake")


def move(action):
    return {"type": "call_tool", "tool_name": "lake_move", "arguments": {"action": action}}


def typed_tool(tool):
    """The model of a listed tool, with the fields that the package's own client reads."""
    return mcp_types.Tool(**{field: tool[field] for field in ("name", "description", "input_schema")})


class Pool:
    """Works like TRL: one client per rollout, created once, reset for every batch, idle during training."""

    def __init__(self, size):
        self.before = len(episodes("frozen-lake"))
        self.clients = [GenericEnvClient(base_url=lake).sync() for _ in range(size)]
        for client in self.clients:
            client.connect()
        self.used = time.monotonic()

    def batch(self, first_seed):
        for number, client in enumerate(self.clients):
            result = client.reset(seed=first_seed + number)
            path = way(rows(result.observation["grid"]), "G")
            for action in path:
                equal(result.done, False, "done before the goal")
                result = client.step(move(action))
            equal((result.reward, result.done), (1, True), f"the end of seed {first_seed + number}")
            equal(client.state()["step_count"], len(path), "steps")
        self.used = time.monotonic()


pool = None


@check
def pool_begins():
    """TRL-style loop: 64 pooled sockets, two batches"""
    global pool
    pool = Pool(64)
    pool.batch(0)
    pool.batch(64)
    equal(len(episodes("frozen-lake")) - pool.before, 64, "episodes held")


@check
async def generic_resets():
    """GenericEnvClient: a seeded reset gives gymnasium's map"""
    async with GenericEnvClient(base_url=lake) as client:
        for seed, expected in maps.items():
            result = await client.reset(seed=seed)
            equal(rows(result.observation["grid"]), expected)
            equal((result.observation["position"], result.reward, result.done), (0, 0, False))


@check
async def generic_plays():
    """GenericEnvClient: an episode with rewards, ending and state"""
    async with GenericEnvClient(base_url=lake) as client:
        await client.reset(seed=42, episode_id="mine")
        rewards = []
        for action in solution:
            result = await client.step(move(action))
            equal(result.observation["error"], None)
            equal(result.observation["result"]["data"]["action"], action)
            rewards.append((result.reward, result.done))
        equal(rewards, [(0, False)] * 5 + [(1, True)])
        state = await client.state()
        equal((state["episode_id"], state["step_count"]), ("mine", 6))
        if has_metadata:
            equal(result.metadata["step_count"], 6, "metadata")
        late = await client.step(move("UP"))
        holds(late.observation["error"]["message"], "ended")
        equal((late.done, (await client.state())["step_count"]), (True, 6), "after the end")
        equal((await client.reset(seed=42)).done, False, "after a reset")


@check
async def observation_is_clean():
    """The observation has no reward, end or metadata for the model to read"""
    async with GenericEnvClient(base_url=lake) as client:
        seen = [(await client.reset(seed=42)).observation, (await client.step(move("DOWN"))).observation]
    for observation in seen:
        equal([key for key in ("reward", "done", "metadata") if key in observation], [])


@check
async def masked_episode():
    """A lost reward is None, never 0, and the episode ends with an error"""
    count = {"type": "call_tool", "tool_name": "number_count", "arguments": {}}
    async with GenericEnvClient(base_url=env("unjudged")) as client:
        await client.reset()
        equal([(await client.step(count)).reward for _ in range(2)], [1, None])
        try:
            await client.step(count)
        except RuntimeError as error:
            holds(error, "has no reward", "the judge has left", "EXECUTION_ERROR")
        else:
            raise AssertionError("the end of a masked episode is no error")
        equal((await client.reset()).done, False, "after a reset")


@check
def generic_sync():
    """GenericEnvClient: the synchronous client, at the root of the server"""
    with GenericEnvClient(base_url=url).sync() as client:
        result = client.reset(seed=42)
        for action in solution:
            result = client.step(move(action))
        equal((result.reward, result.done, client.state()["step_count"]), (1, True, 6))


@check
async def typed_steps():
    """Typed actions: grid-world, connect-four, echo-typed"""
    async with GenericEnvClient(base_url=env("grid-world")) as client:
        result = await client.reset()
        equal((result.observation["x"], result.observation["y"]), (0, 0))
        for action in ["DOWN"] * 4 + ["RIGHT"] * 3:
            result = await client.step(GenericAction(action=action))
            equal((round(result.reward, 6), result.done), (-0.1, False))
        result = await client.step({"action": "RIGHT", "metadata": {"note": "actions may carry this"}})
        equal((result.reward, result.done), (1, True))
    async with GenericEnvClient(base_url=env("connect-four")) as client:
        result = await client.reset()
        for column in [3, 0, 3, 0, 3, 0, 3]:
            equal(result.done, False)
            result = await client.step({"column": column})
        equal((result.reward, result.done), (1, True))
        equal((await client.state())["next_player"], -1, "public state")
    async with GenericEnvClient(base_url=env("echo-typed")) as client:
        await client.reset()
        result = await client.step({"message": "hello"})
        equal((result.observation["echoed_message"], result.observation["message_length"]), ("hello", 5))
        equal(round(result.reward, 6), 0.5)


@check
async def action_models():
    """Actions as pydantic models: CallToolAction and ListToolsAction"""
    async with GenericEnvClient(base_url=env("echo")) as client:
        await client.reset()
        listed = await client.step(mcp_types.ListToolsAction())
        equal([tool["name"] for tool in listed.observation["tools"]], ["echo_message", "echo_with_length"])
        for tool in listed.observation["tools"]:
            typed_tool(tool)
            equal(tool["inputSchema"], tool["input_schema"], "RFC 003's spelling")
        result = await client.step(mcp_types.CallToolAction(tool_name="echo_message", arguments={"message": "hi"}))
        equal(result.observation["result"]["data"], "hi")


@check
async def errors_in_steps():
    """Step errors: unknown tool, invalid arguments, a tool that throws, a timeout"""
    async with GenericEnvClient(base_url=env("difficult")) as client:
        await client.reset()

        async def error(name, arguments):
            result = await client.step({"type": "call_tool", "tool_name": name, "arguments": arguments})
            equal(result.observation["result"], None)
            return mcp_types.ToolError(**result.observation["error"])

        equal((await error("nope", {})).error_type.value, "tool_not_found")
        equal((await error("text_repeat", {"word": 1})).error_type.value, "invalid_args")
        equal((await error("number_count", {"extra": 1})).error_type.value, "invalid_args")
        thrown = await error("error_throw", {})
        equal((thrown.error_type.value, thrown.message), ("execution_error", "kaput"))
        equal((await error("time_waste", {})).error_type.value, "timeout")
        counted = await client.step({"tool_name": "number_count"})
        equal(counted.observation["result"]["data"], 1, "a failed step changes nothing")


@check
async def errors_of_frames():
    """Frame errors: invalid action, unknown type, extra key, not JSON; the socket stays open"""
    async with GenericEnvClient(base_url=env("grid-world")) as client:
        await client.reset()

        async def refused(work):
            try:
                await work
            except RuntimeError as error:
                return str(error)
            raise AssertionError("it was not refused")

        holds(await refused(client.step({"action": "JUMP"})), "VALIDATION_ERROR")
        holds(await refused(client.step({"action": "UP", "speed": 3})), "VALIDATION_ERROR")
        holds(await refused(client._send_and_receive({"type": "nonsense"})), "Unknown message type", "UNKNOWN_TYPE")
        holds(await refused(client._send_and_receive({"type": "state", "foo": 1})), "VALIDATION_ERROR")
        await client._ws.send("{")
        equal(json.loads(await client._ws.recv())["data"]["code"], "INVALID_JSON")
        holds(await refused(client.reset(seed="x")), "seed")
        equal((await client.step({"action": "DOWN"})).observation["x"], 1, "the socket afterwards")


@check
async def mcp_frames():
    """MCP in a /ws frame, as verifiers sends it"""
    async with GenericEnvClient(base_url=lake) as client:
        await client.reset(seed=42)
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        answer = await client._send_and_receive({"type": "mcp", "data": ask})
        equal([tool["name"] for tool in answer["data"]["result"]["tools"]], ["lake_move"])
        schema = get(f"{lake}/schema")["action"]["properties"]
        assert {"tool_name", "arguments"} <= set(schema), "verifiers takes this for an environment with tools"


@check
async def tool_client():
    """MCPToolClient in its default mode: tools, calls, steps, state"""
    async with MCPToolClient(base_url=env("echo")) as client:
        await client.reset(seed=1)
        tools = await client.list_tools()
        equal([tool.name for tool in tools], ["echo_message", "echo_with_length"])
        equal(tools[0].input_schema["required"], ["message"])
        equal((await client.get_tool("echo_message")).description, "Echo back the provided message.")
        equal((await client.has_tool("nope"), await client.has_tool("echo_message")), (False, True))
        equal(await client.call_tool("echo_message", message="hello"), "hello")
        equal(await client.call_tool("echo_with_length", message="hé"), {"message": "hé", "length": 2})
        action = mcp_types.CallToolAction(tool_name="echo_message", arguments={"message": "x"})
        result = await client.step(action)
        assert isinstance(result.observation, mcp_types.CallToolObservation)
        equal(result.observation.result["data"], "x")
        equal((await client.state()).step_count, 3)


@check
async def tool_client_errors():
    """MCPToolClient raises errors"""
    async with MCPToolClient(base_url=env("difficult")) as client:
        await client.reset()

        async def raised(name, **arguments):
            try:
                await client.call_tool(name, **arguments)
            except RuntimeError as error:
                return str(error)
            raise AssertionError(f"{name} did not fail")

        holds(await raised("nope"), "Tool 'nope' failed", "nope")
        holds(await raised("text_repeat", word=1), "Tool 'text_repeat' failed")
        holds(await raised("error_throw"), "Tool 'error_throw' failed", "kaput")
        holds(await raised("time_waste"), "Tool 'time_waste' failed")
        equal(await client.call_tool("number_count"), 1, "the session afterwards")


@check
async def production_mode():
    """MCPToolClient in production mode: session/create, tools over POST /mcp, session/close"""
    before = len(episodes("difficult"))
    client = MCPToolClient(base_url=env("difficult"))
    client.use_production_mode = True
    async with client:
        equal(len(await client.list_tools()), 4)
        equal([await client.call_tool("number_count") for _ in range(3)], [1, 2, 3], "calls of one session")
        other = MCPToolClient(base_url=env("difficult"))
        other.use_production_mode = True
        async with other:
            equal(await other.call_tool("number_count"), 1, "another session")
    until(lambda: len(episodes("difficult")) == before, what="the end of both sessions")


@check
async def production_server():
    """MCPToolClient against a server in production: tools and calls, but no reset, step or state"""
    client = MCPToolClient(base_url=env("released"))
    client.use_production_mode = True
    async with client:
        equal([tool.name for tool in await client.list_tools()], ["number_count", "call_await"])
        equal([await client.call_tool("number_count") for _ in range(3)], [1, 2, 3])
        try:
            await client.call_tool("number_count")
            raise AssertionError("the end was not reported")
        except RuntimeError as error:
            holds(error, "has ended")
        equal(await client.call_tool("number_count"), 1, "the next episode")
        for forbidden in [client.reset, client.state]:
            try:
                await forbidden()
                raise AssertionError("it was allowed")
            except RuntimeError as error:
                holds(error, "not available in production")
    types.EnvironmentMetadata(**get(f"{env('released')}/metadata"))
    types.SchemaResponse(**get(f"{env('released')}/schema"))


@check
async def attached_socket():
    """Current MCPToolClient: its socket attaches to its session (/ws?session_id=)"""
    client = MCPToolClient(base_url=env("difficult"))
    if not client.use_production_mode:
        raise Skip(f"{version} has no such mode")
    before = len(episodes("difficult"))
    async with client:
        equal(await client.call_tool("number_count"), 1)
        step = await client.step(mcp_types.CallToolAction(tool_name="number_count", arguments={}))
        equal(step.observation.result["data"], 2, "the socket plays in the session's episode")
        equal((await client.state()).step_count, 2)
        await client.reset(seed=3, episode_id="again")
        equal(await client.call_tool("number_count"), 1, "tools play in the episode that the socket began")
        equal(((await client.state()).episode_id, (await client.state()).step_count), ("again", 1))
        equal(len(episodes("difficult")) - before, 1, "episodes")
        await client.disconnect()
        equal(await client.call_tool("number_count"), 2, "the session outlives its socket")
        equal((await client.state()).step_count, 2, "and takes another")
    until(lambda: len(episodes("difficult")) == before, what="the end of the session")


@check
async def attached_wrongly():
    """/ws?session_id= rejects a session that is unknown or in use"""
    client = MCPToolClient(base_url=env("echo"))
    if not client.use_production_mode:
        raise Skip(f"{version} has no such mode")
    import websockets

    address = env("echo").replace("http", "ws") + "/ws?session_id="
    async with client:
        for session in ["no-such-session", client._production_session_id]:
            async with websockets.connect(address + session, proxy=None) as socket:
                equal(json.loads(await socket.recv())["data"]["code"], "SESSION_ERROR")
        equal(await client.call_tool("echo_message", message="still here"), "still here")


@check
async def many_sockets():
    """64 parallel sockets: each has its own seed and episode"""

    async def play(seed, is_patient):
        async with GenericEnvClient(base_url=lake) as client:
            result = await client.reset(seed=seed)
            seen = [result.observation["grid"]]
            path = way(rows(seen[0]), "G")
            for action in path:
                if is_patient:
                    await asyncio.sleep(0.001 * (seed % 7))
                result = await client.step(move(action))
                seen.append(result.observation["result"]["data"]["grid"])
            equal((result.reward, result.done), (1, True), f"seed {seed}")
            state = await client.state()
            equal(state["step_count"], len(path))
            return seen, state["episode_id"]

    together = await asyncio.gather(*(play(seed, True) for seed in range(64)))
    equal(len({episode for _, episode in together}), 64, "episodes")
    assert len({seen[0] for seen, _ in together}) > 40, "different seeds are different lakes"
    for seed in range(64):
        equal((await play(seed, False))[0], together[seed][0], f"seed {seed} alone")


@check
async def pipelined_frames():
    """Frames sent without waiting are answered in order"""
    async with GenericEnvClient(base_url=env("difficult")) as client:
        await client.reset()
        for _ in range(50):
            await client._send({"type": "step", "data": {"tool_name": "number_count"}})
        answers = [await client._receive() for _ in range(50)]
        counts = [answer["data"]["observation"]["result"]["data"] for answer in answers]
        equal(counts, list(range(1, 51)))


@check
async def many_resets():
    """300 resets on one socket: same seed, same episode; no episode leaks"""
    before = len(episodes("frozen-lake"))
    async with GenericEnvClient(base_url=lake) as client:
        first = {}
        for number in range(300):
            seed = number % 10
            grid = (await client.reset(seed=seed)).observation["grid"]
            equal(grid, first.setdefault(seed, grid))
            await client.step(move("LEFT"))
        free = {(await client.reset()).observation["grid"] for _ in range(20)}
        assert len(free) > 10, "without a seed each episode is another"
        equal(len(episodes("frozen-lake")) - before, 1, "episodes")
    until(lambda: len(episodes("frozen-lake")) == before, what="the end of the episode")


@check
async def reset_settings():
    """Reset settings reach the environment; unknown ones are ignored"""
    async with GenericEnvClient(base_url=lake) as client:
        result = await client.reset(seed=42, map_name="8x8", prompt="TRL passes whole rows")
        equal(len(rows(result.observation["grid"])), 8)
        equal(len(rows((await client.reset(seed=42, map_name="4x4")).observation["grid"])), 4)


@check
async def refused_resets():
    """A refused reset leaves the episode as it is; settings do not outlive their episode"""
    async with GenericEnvClient(base_url=lake) as client:
        await client.reset(seed=42, map_name="8x8")
        await client.step(move("DOWN"))
        try:
            await client.reset(seed=42, map_name="none")
            raise AssertionError("it was not refused")
        except RuntimeError as error:
            holds(error, "map_name")
        equal((await client.state())["step_count"], 1, "the episode goes on")
        equal(len(rows((await client.reset(seed=42)).observation["grid"])), 4, "the default map")


@check
async def reconnects():
    """A client reconnects after close, with a new episode"""
    client = GenericEnvClient(base_url=env("difficult"))
    await client.connect()
    await client.reset()
    await client.step({"tool_name": "number_count"})
    await client.close()
    await client.connect()
    await refuses_step(client, {"tool_name": "number_count"})
    await client.reset()
    result = await client.step({"tool_name": "number_count"})
    equal(result.observation["result"]["data"], 1, "a new socket is a new episode")
    await client.close()


@check
async def reconnects_by_itself():
    """A client whose socket breaks opens a new one by itself, and does not go on in another episode"""
    if version_numbers < (0, 10):
        raise Skip(f"{version} does not")
    async with GenericEnvClient(base_url=env("difficult")) as client:
        await client.reset()
        await client.step({"tool_name": "number_count"})
        await client._ws.close()
        await refuses_step(client, {"tool_name": "number_count"})


@check
async def step_first():
    """A tool list and a state before the first reset; a step is refused"""
    async with GenericEnvClient(base_url=lake) as client:
        equal(await client.state(), {"episode_id": None, "step_count": 0})
        listed = await client.step({"type": "list_tools"})
        equal(len(listed.observation["tools"]), 1)
        await refuses_step(client, move("LEFT"))


async def refuses_step(client, action):
    try:
        await client.step(action)
    except Exception as error:
        equal("Send a reset first" in str(error), True, str(error))
    else:
        raise AssertionError("a step without an episode was made")


@check
async def closes():
    """Episodes end with a close frame and with a broken socket"""
    before = len(episodes("echo"))
    polite, rude = GenericEnvClient(base_url=env("echo")), GenericEnvClient(base_url=env("echo"))
    for client in (polite, rude):
        await client.connect()
        await client.reset()
    equal(len(episodes("echo")) - before, 2)
    await polite.close()
    await asyncio.to_thread(until, lambda: len(episodes("echo")) == before + 1, what="the polite one's end")
    rude._ws.transport.abort()
    await asyncio.to_thread(until, lambda: len(episodes("echo")) == before, what="the rude one's end")


@check
async def capacity():
    """A full server reports it, and accepts clients again after one leaves"""
    clients = [GenericEnvClient(base_url=env("narrow")) for _ in range(2)]
    for client in clients:
        await client.connect()
        await client.reset()
    try:
        async with GenericEnvClient(base_url=env("narrow")) as third:
            await third.reset()
        raise AssertionError("a third was let in")
    except RuntimeError as error:
        holds(error, "CAPACITY_REACHED")
    await clients.pop().close()
    until(lambda: len(episodes("narrow")) == 1, what="a free place")
    async with GenericEnvClient(base_url=env("narrow")) as third:
        await third.reset()
        equal((await third.step({"tool_name": "nothing_do"})).observation["result"]["data"], "nothing")
    await clients.pop().close()


@check
async def large_frames():
    """Large frames: 4 MB in, 60 MB out"""
    async with GenericEnvClient(base_url=env("difficult")) as client:
        await client.reset()
        word = "é" * 2_000_000
        result = await client.step({"tool_name": "text_repeat", "arguments": {"word": word, "times": 5}})
        equal(len(result.observation["result"]["data"]), 10_000_000)


@check
def shapes():
    """/health, /metadata, /schema, /reset, /step, /state match the package's own models"""
    types.HealthResponse(**get(f"{lake}/health"))
    equal(types.EnvironmentMetadata(**get(f"{lake}/metadata")).name, "frozen-lake")
    schema = get(f"{lake}/schema")
    if "reset_observation" not in types.SchemaResponse.model_fields:
        schema.pop("reset_observation")  # older models do not have it, and no client reads with them
    types.SchemaResponse(**schema)
    def answer(path, body):
        payload = post(f"{lake}/{path}", body)
        if "metadata" not in types.StepResponse.model_fields:
            payload.pop("metadata")  # older models do not have it, and older clients ignore it
        return payload

    reset = types.ResetResponse(**answer("reset", {"seed": 42, "episode_id": "by-http"}))
    equal(rows(reset.observation["grid"]), maps[42])
    step = types.StepResponse(**answer("step", {"action": move("DOWN"), "episode_id": "by-http"}))
    equal(step.observation["result"]["data"]["position"], 4)
    state = types.State(**get(f"{lake}/state?episode_id=by-http"))
    equal((state.episode_id, state.step_count), ("by-http", 1))
    types.StepResponse(**answer("step", {"action": move("DOWN")}))
    equal(types.State(**get(f"{lake}/state")).step_count, 2, "without an id, the episode of the last reset")
    for episode in episodes("frozen-lake"):
        if episode["label"] == "by-http":
            urllib.request.urlopen(urllib.request.Request(f"{lake}/control/episodes/{episode['id']}", method="DELETE"))


@check
async def nameless_resets():
    """1,200 times POST /reset, as some health checks do: sockets are still accepted"""
    connection = http.client.HTTPConnection(url.split("//")[1])
    for _ in range(1200):
        connection.request("POST", "/env/catch/reset", "{}", {"content-type": "application/json"})
        response = connection.getresponse()
        response.read()
        equal(response.status, 200)
    async with GenericEnvClient(base_url=env("catch")) as client:
        await client.reset()
        equal((await client.step({"action_id": 1})).done, False)
    for episode in episodes("catch"):
        connection.request("DELETE", f"/env/catch/control/episodes/{episode['id']}")
        connection.getresponse().read()


@check
def auto_env():
    """AutoEnv.from_env with a base_url finds the server"""
    from openenv.auto import AutoEnv

    made = AutoEnv.from_env("frozen-lake", base_url=lake, skip_install=True)
    client = made if hasattr(made, "reset") else asyncio.run(made)
    with client.sync() as client:
        equal(rows(client.reset(seed=42).observation["grid"]), maps[42])


@check
def validates():
    """`openenv validate --url` passes: at the root, with tools, with a typed action, in production"""
    targets = [url, env("echo"), env("grid-world"), env("released")]
    command = [sys.executable, "-m", "openenv.cli", "validate", "--json", "--url"]
    started = [subprocess.Popen([*command, target], stdout=subprocess.PIPE, text=True) for target in targets]
    for target, process in zip(targets, started):
        said, _ = process.communicate()
        report = json.loads(said[said.index("{") :])
        failed = [each["id"] for each in report["criteria"] if not each["passed"]]
        equal((failed, report["passed"], process.returncode), ([], True, 0), target)


@check
async def new_session():
    """new_session: a child client has its own episode"""
    if not hasattr(GenericEnvClient, "new_session"):
        raise Skip(f"{version} has no new_session")
    async with GenericEnvClient(base_url=env("difficult")) as client:
        await client.reset()
        child = await client.new_session()
        await child.reset()
        await client.step({"tool_name": "number_count"})
        equal((await child.step({"tool_name": "number_count"})).observation["result"]["data"], 1)


@check
def harness():
    """OpenEnv's harness: build_harness_rollout_func with a scripted model"""
    try:
        from openenv.core import harness as h
        from openenv.core.llm_client import LLMResponse, ToolCall
    except ImportError:
        raise Skip(f"{version} has no harness") from None
    with GenericEnvClient(base_url=lake).sync() as client:
        client.reset()
        tools = [typed_tool(tool) for tool in client.step({"type": "list_tools"}).observation["tools"]]

    class Factory(h.ResourceSessionFactory):
        def create(self, task, seed=None, episode_id=None):
            return h.StepEnvSessionAdapter(
                GenericEnvClient(base_url=lake),
                task=task,
                seed=task["seed"],
                episode_id=f"harness-{task['seed']}",
                tool_specs=tools,
                action_builder=lambda name, arguments: move(arguments["action"]),
                initial_messages_builder=lambda result, _: [{"role": "user", "content": result.observation["grid"]}],
            )

    def model(_, session):
        path = iter(way(rows(session.initial_messages()[0]["content"]), "G"))

        def step(messages, tools, sampling):
            call = ToolCall(id=f"call-{len(messages)}", name="lake_move", args={"action": next(path)})
            answer = LLMResponse(content="", tool_calls=[call])
            return h.ModelStepResult(answer, prompt_ids=[1], completion_ids=[2], logprobs=[-0.1])

        return step

    rollout = h.build_harness_rollout_func(
        session_factory=Factory(),
        harness_adapter=h.MCPHarnessAdapter(),
        model_step_builder=model,
        limits=h.HarnessRunLimits(max_turns=30),
    )
    played = rollout([{"seed": seed} for seed in [42, 123, 456, *range(5)]], None)
    equal(played["env_reward"], [1.0] * 8)
    equal(played["verify_metrics"][0]["step_count"], 6)


@check
def pool_goes_on():
    """TRL-style loop: two more batches after more than 21 s idle"""
    time.sleep(max(0, pool.used + 21.5 - time.monotonic()))
    pool.batch(0)
    pool.batch(1000)
    for client in pool.clients:
        client.close()
    until(lambda: len(episodes("frozen-lake")) == pool.before, what="their end")


run()
