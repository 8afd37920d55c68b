"""Eval Protocol's own client against our server: ep.make and ep.rollout with a scripted policy, without a model."""

import asyncio
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import eval_protocol as ep
import httpx
from checks import check, env, episodes, equal, holds, run, until
from eval_protocol.mcp.execution.policy import LLMBasePolicy, OpenAIPolicy
from eval_protocol.mcp_env import gen_session_id
from eval_protocol.models import EvaluationRow, InputMetadata, Message
from eval_protocol.types import DatasetRow, MCPToolCall
from lake import maps, rows, solution, way
from scripted_model import ScriptedApi, answer

here = pathlib.Path(__file__).parent
lake = env("frozen-lake")


class Scripted(LLMBasePolicy):
    """A policy like the package's provider policies, with a function as the provider."""

    def __init__(self, model_id="my-model"):
        super().__init__(model_id=model_id)

    async def _make_llm_call(self, messages, tools):
        return answer(messages)

    def _convert_mcp_tools_to_llm_format(self, mcp_tools):
        return mcp_tools


def row(row_id, play, **context):
    return EvaluationRow(
        messages=[Message(role="system", content=json.dumps(play))],
        input_metadata=InputMetadata(
            row_id=row_id,
            dataset_info={"user_prompt_template": "{observation}", "environment_context": context},
        ),
    )


def lake_rows(count=20):
    """Every second agent walks into a hole, if its lake has a reachable one."""
    return [
        row(f"run_{seed}", {"tool": "lake_move", "to": "HG"[seed % 2]}, game="FrozenLake", map_name="4x4", seed=seed)
        for seed in [42, 123, 456, *range(1000, 997 + count)]
    ]


async def play(address, made, policy=None, **options):
    policy = policy or Scripted()
    envs = ep.make(f"{address}/mcp", evaluation_rows=made, model_id=policy.model_id)
    return await ep.rollout(envs, policy=policy, evaluation_rows=made, **{"steps": 30, **options})


async def leave(envs):
    """Closes like ep.rollout: envs.close() would close in other tasks than it opened in, which anyio forbids."""
    for session in reversed(envs.sessions):
        await envs.connection_manager.reset_session(session)
        await envs.connection_manager.close_session(session)


def first_map(played):
    import ast

    return rows(ast.literal_eval(played.messages[1].content)["grid"])


def story(played):
    """The trajectory: observations, rewards and status."""
    return [(m.role, m.content, m.tool_calls and str(m.tool_calls), m.control_plane_step) for m in played.messages]


def is_on_control_plane(step):
    info = step["info"]
    return info.get("reward_source") == info.get("status_source") == "control_plane_endpoint"


first_stories = None


@check
async def twenty_rows():
    """ep.rollout with 20 seeded rows: correct rewards and endings"""
    global first_stories
    before = len(episodes("frozen-lake"))
    played = await play(lake, lake_rows())
    equal(len(played), 20)
    for done in played:
        wanted = json.loads(done.messages[0].content)["to"]
        seed = done.input_metadata.dataset_info["environment_context"]["seed"]
        wanted = wanted if way(first_map(done), wanted) else "G"
        path = way(first_map(done), wanted)
        if seed in maps:
            equal(first_map(done), maps[seed], f"the lake of seed {seed}, in the first rollout already")
        steps = [message.control_plane_step for message in done.messages if message.control_plane_step]
        equal(len(steps), len(path), f"steps of seed {seed}")
        equal([step["reward"] for step in steps], [0.0] * (len(path) - 1) + [1.0 if wanted == "G" else 0.0])
        equal([step["terminated"] for step in steps], [False] * (len(path) - 1) + [True])
        assert all(map(is_on_control_plane, steps)), "the control plane was asked and did not answer"
        equal(done.rollout_status.code, 100, "finished")
    until(lambda: len(episodes("frozen-lake")) == before, what="the end of their episodes")
    first_stories = list(map(story, played))


@check
async def again():
    """The same rows again without a restart: the same trajectories"""
    equal(list(map(story, await play(lake, lake_rows()))), first_stories)


@check
async def all_at_once():
    """40 parallel rollouts are isolated from each other"""
    played = await play(lake, lake_rows(40), max_concurrent_rollouts=40)
    equal(list(map(story, played[:20])), first_stories)
    assert all(done.get_terminated() for done in played)


@check
async def known_solution():
    """Seed 42: DOWN DOWN RIGHT RIGHT DOWN RIGHT gives 1.0"""
    played = await play(lake, [row("one", {"tool": "lake_move", "moves": solution}, seed=42)])
    equal((played[0].get_total_reward(), played[0].get_terminated()), (1.0, True))
    equal(played[0].get_steps(), 6)


@check
async def masked_reward():
    """A lost reward raises, so that the row is retried or kept out, and is never 0"""
    count = {"tool": "number_count", "moves": ["one", "two", "three"]}
    try:
        played = await play(env("unjudged"), [row("lost", count, seed=1)])
    except TypeError as error:
        holds(error, "NoneType")
    else:
        raise AssertionError(f"a lost reward counts as {played[0].get_total_reward()}")


@check
async def masked_row():
    """Rows that are played one by one: a lost reward fails its own row, and the others have theirs"""
    count = {"tool": "number_count", "moves": ["one"]}
    made = [row(f"alone-{len(moves)}", {**count, "moves": moves}, seed=1) for moves in (["one"], ["one"] * 3)]

    async def alone(each):
        return (await play(env("unjudged"), [each]))[0]

    whole, lost = await asyncio.gather(*map(alone, made), return_exceptions=True)
    equal(whole.get_total_reward(), 1.0)
    holds(repr(lost), "TypeError", "NoneType")


@check
async def through_an_api():
    """OpenAIPolicy with a local OpenAI-compatible API"""
    api = ScriptedApi()
    os.environ["OPENAI_API_KEY"] = "none"
    policy = OpenAIPolicy("openai/scripted", base_url=api.url)
    made = [row(f"api_{seed}", {"tool": "lake_move", "to": "G"}, seed=seed) for seed in [42, 123, 456]]
    played = await play(lake, made, policy)
    equal([done.get_total_reward() for done in played], [1.0] * 3)
    assert api.requests >= 15
    equal(api.tools[0]["function"]["name"], "lake_move")
    assert api.tools[0]["function"]["description"]
    equal(played[0].execution_metadata.usage.total_tokens, 5 * 7, "usage: six moves and a last word")


@check
async def several_calls():
    """Several tool calls in one turn; a step limit"""
    played = await play(lake, [row("two", {"tool": "lake_move", "moves": solution, "at_once": 3}, seed=42)])
    equal((played[0].get_total_reward(), played[0].get_steps()), (1.0, 6))
    played = await play(lake, [row("short", {"tool": "lake_move", "moves": solution}, seed=42)], steps=3)
    equal((played[0].get_total_reward(), played[0].get_steps()), (0.0, 3))
    holds(played[0].get_termination_reason(), "MAX_STEPS")


@check
async def other_environments():
    """Cliff walking and blackjack: same total rewards as gymnasium"""
    moves = ["UP", *["RIGHT"] * 11, "DOWN"]
    played = await play(env("cliff-walking"), [row("cliff", {"tool": "cliff_move", "moves": moves}, seed=1)])
    equal((played[0].get_total_reward(), played[0].get_terminated()), (-13.0, True))
    for move, reward in [("STICK", 1.0), ("HIT", -1.0)]:
        made = [row(f"cards-{move}", {"tool": "blackjack_move", "moves": [move]}, seed=42)]
        played = await play(env("blackjack"), made)
        holds(played[0].messages[1].content, "'player_sum': 15", "'dealer_card': 2")
        equal((played[0].get_total_reward(), played[0].get_terminated()), (reward, True))


@check
async def rejected_calls():
    """A rejected call is not a step, and the rollout continues"""
    made = [row("wrong", {"tool": "lake_move", "moves": ["JUMP", *solution]}, seed=42)]
    played = await play(lake, made)
    tools = [message for message in played[0].messages if message.role == "tool"]
    holds(tools[0].content, "Error", "action")
    equal((played[0].get_total_reward(), played[0].get_terminated()), (1.0, True))


@check
async def unknown_tools():
    """A call of an unknown tool does not end the rollout"""
    played = await play(lake, [row("unknown", {"tool": "no_such_tool", "moves": ["UP"]}, seed=42)])
    holds([message.content for message in played[0].messages if message.role == "tool"][0], "no_such_tool")


@check
def session_ids():
    """gen_session_id: the client and our server compute the same session ids"""
    context = {"game": "FrozenLake", "map_name": "4x4", "seed": 42}
    entry = DatasetRow(id="run_001", seed=42, system_prompt="", user_prompt_template="", environment_context=context)
    equal(gen_session_id(entry, "my-model"), "9db1f65e20dfeef4b03463254f08942f")
    cases = [
        (42, context, "run_001", "my-model"),
        (None, {}, "task_0", "unknown"),
        (7, {}, "session_0", "unknown"),
        (3, {"b": [1, 2.5, None, True], "a": {"é": "ü\u2028😀"}, "f": 1e-7, "whole": 2.0}, "naïve", "m/x"),
    ]
    theirs = [
        gen_session_id(
            DatasetRow(id=name, seed=seed, system_prompt="", user_prompt_template="", environment_context=config), model
        )
        for seed, config, name, model in cases
    ]
    text = json.dumps(
        [{"seed": seed, "config": config, "dataset_row_id": name, "model_id": model} for seed, config, name, model in cases]
    )
    words = ["node", "--import", "tsx", "--conditions=biplane-source", str(here.parent / "session-ids.ts")]
    ours = subprocess.run(words, cwd=here.parent.parent, input=text, capture_output=True, text=True, check=True)
    equal(json.loads(ours.stdout), theirs)


@check
async def control_plane():
    """Control endpoints with Eval Protocol's session id during a rollout"""
    made = [row("control", {"tool": "lake_move", "to": "G"}, seed=42)]
    envs = ep.make(f"{lake}/mcp/", evaluation_rows=made, model_id="my-model")
    session = envs.sessions[0]
    first, tools = await envs.reset(session)
    equal([tool["name"] for tool in tools], ["lake_move"])
    equal(rows(first["grid"]), maps[42])
    async with httpx.AsyncClient() as http:

        async def ask(name, session_id=session.session_id, method="GET", **options):
            headers = {"mcp-session-id": session_id} if session_id else {}
            response = await http.request(method, f"{lake}/control/{name}", headers=headers, **options)
            return response.status_code, response.json()

        equal(await ask("status"), (200, {"terminated": False, "truncated": False, "step_count": 0, "total_reward": 0}))
        for number, move in enumerate(solution, 1):
            call = MCPToolCall(tool_name="lake_move", arguments={"action": move}, tool_call_id="x")
            seen, reward, done, info = await envs.step(0, call)
            equal((seen["action"], reward, done), (move, float(number == 6), number == 6))
        equal(await ask("reward"), (200, {"reward": 1, "step_count": 6}))
        equal(await ask("status"), (200, {"terminated": True, "truncated": False, "step_count": 6, "total_reward": 1}))
        equal(await ask("info"), (200, {"prob": 1}))
        equal((await ask("initial_state"))[1], first, "the first observation, still")
        equal((await ask("reward", "nope"))[0], 404)
        equal((await ask("reward", None))[0], 400)
        equal((await ask("reset_session", "nope", "POST", json={"seed": None}))[0], 200)
        equal((await ask("reset_session", method="POST", json={"seed": 123}))[0], 200)
        equal((await ask("status"))[1]["step_count"], 0)
        equal(rows((await ask("initial_state"))[1]["grid"]), maps[123], "reset with another seed")
    await leave(envs)


@check
async def duplicates():
    """Rows with the same id in sequence: each gets a new episode"""
    made = [row("same", {"tool": "lake_move", "moves": solution}, seed=42) for _ in range(4)]
    played = await play(lake, made, max_concurrent_rollouts=1)
    equal([done.get_total_reward() for done in played], [1.0] * 4)


@check
async def legacy_make():
    """ep.make with n and seeds; seed 0 is used"""
    envs = ep.make(f"{lake}/mcp", n=2, seeds=[0, 42])
    seen = [(await envs.reset(session))[0] for session in envs.sessions]
    equal(rows(seen[1]["grid"]), maps[42])
    await leave(envs)
    envs = ep.make(f"{lake}/mcp", n=1, seeds=[0])
    equal((await envs.reset(envs.sessions[0]))[0], seen[0])
    await leave(envs)


@check
async def recordings():
    """EP_PLAYBACK_FILE: a recording is replayed against the server"""
    made = lambda: [row("record", {"tool": "lake_move", "moves": solution}, seed=42)]  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EP_PLAYBACK_FILE"] = f"{folder}/recording.jsonl"
        try:
            recorded = await play(lake, made())
            replayed = await play(lake, made(), Scripted(), steps=5)  # the package itself fails at the end of a recording
        finally:
            del os.environ["EP_PLAYBACK_FILE"]
    seen = [[m.content for m in done[0].messages if m.role == "tool"] for done in (recorded, replayed)]
    equal(seen[1], seen[0][:5])


@check
def evaluation_test():
    """@evaluation_test with MCPGymRolloutProcessor starts our server and computes scores"""
    api = ScriptedApi()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        **os.environ,
        "INTEROP_MODEL": api.url,
        "INTEROP_PORT": str(port),
        "OPENAI_API_KEY": "none",
        "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PYTHONPATH": str(here),
    }
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder]
        done = subprocess.run(
            [*words, str(here / "frozen_lake_evaluation.py")],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    holds(done.stdout, "1 passed")


run()
