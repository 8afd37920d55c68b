"""NeMo Gym plays our server: its session check, and episodes of its environment server with its simple agent. The files
that `biplane nemo-gym` writes are used as they are. The model is a script."""

import asyncio
import importlib.util
import json
import pathlib
import socket
import sys
import warnings

import httpx
import uvicorn
from checks import check, env, episodes, equal, holds, post, run, until, url
from environment_servers.single_agent_turn.app import (
    SingleAgentTurnEnvironmentServer,
    SingleAgentTurnEnvironmentServerConfig,
)
from fastapi import FastAPI, Request, Response
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from nemo_gym.base_resources_server import ResourcesSeedSessionRequest
from nemo_gym.config_types import AggregateMetrics, ModelServerRef
from nemo_gym.failure_kinds import validate_failure_kind
from nemo_gym.server_utils import (
    BaseServerConfig,
    GlobalAIOHTTPAsyncClientConfig,
    ServerClient,
    global_aiohttp_client_exit,
    set_global_aiohttp_client,
)
from nemo_gym.single_agent_turn_types import SingleAgentTurnRequest, SingleAgentTurnResult
from nemo_gym.testing.session_conformance import check_resources_session_contract
from omegaconf import OmegaConf
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig
from rollouts import actions, breaks, masked_breaks, tell

folder = pathlib.Path(sys.argv[2])
games = {"frozen-lake": 10, "taxi": 10, "blackjack": 5}


def files_of(name):
    return folder / name.replace("-", "_")


def rows_of(name):
    return [json.loads(line) for line in (files_of(name) / "data" / "train.jsonl").read_text().splitlines()]


def app_of(name):
    """The module that was written for NeMo Gym to start."""
    spec = importlib.util.spec_from_file_location(f"app_{name.replace('-', '_')}", files_of(name) / "app.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def config_of(name):
    return OmegaConf.load(files_of(name) / "configs" / f"{name.replace('-', '_')}.yaml")


def scripted_model():
    """Calls what the plan in the request's metadata says, one call for each answer, then ends."""
    app = FastAPI()

    @app.post("/{path:path}")
    async def respond(path: str, request: Request):
        body = await request.json()
        plan = json.loads(body["metadata"]["plan"])
        answered = sum(1 for item in body["input"] if item.get("type") == "function_call_output")
        if answered < len(plan):
            name, arguments = plan[answered]
            call = {"call_id": f"c{answered}", "name": name, "arguments": json.dumps(arguments)}
            output = [{"type": "function_call", "id": f"f{answered}", "status": "completed", **call}]
        else:
            text = [{"type": "output_text", "text": "Done.", "annotations": []}]
            output = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": text}]
        common = {"object": "response", "created_at": 0, "model": "script", "tool_choice": "auto", "tools": []}
        return {"id": f"r{answered}", "output": output, "parallel_tool_calls": False, **common}

    return app


class Servers:
    """Web servers in this event loop."""

    async def __aenter__(self):
        self._running = []
        return self

    async def start(self, app):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
        self._running.append((server, asyncio.create_task(server.serve())))
        while not server.started:
            await asyncio.sleep(0.01)
        return port

    async def __aexit__(self, *_):
        for server, task in self._running:
            server.should_exit = True
            await task


def instance(kind, port):
    return {kind: {"test": {"host": "127.0.0.1", "port": port, "entrypoint": "app.py"}}}


def play(name, plans):
    """Plays a plan for each row through NeMo Gym's own servers, and returns what they answer."""
    return asyncio.run(asyncio.wait_for(play_rows(name, plans), 200))


async def play_rows(name, plans):
    set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())
    try:
        return await play_with_servers(name, plans)
    finally:
        await asyncio.to_thread(global_aiohttp_client_exit)


async def play_with_servers(name, plans):
    async with Servers() as servers:
        config = OmegaConf.create({"token_id_capture": {"enabled": False}})
        server_client = ServerClient(head_server_config=BaseServerConfig(host="head", port=1), global_config_dict=config)
        written = config_of(name)[f"{name.replace('-', '_')}_resources_server"].resources_servers
        [settings] = written.values()
        module = app_of(name)
        resources = module.BiplaneResourcesServer(
            config=module.BiplaneConfig(name="resources", host="127.0.0.1", port=1, **settings),
            server_client=server_client,
        )
        config.resources = instance("resources_servers", await servers.start(resources.setup_webserver()))
        config.model = instance("responses_api_models", await servers.start(scripted_model()))
        agent = SimpleAgent(
            config=SimpleAgentConfig(
                name="agent",
                host="127.0.0.1",
                port=1,
                entrypoint="app.py",
                model_server=ModelServerRef(type="responses_api_models", name="model"),
            ),
            server_client=server_client,
        )
        config.agent = instance("responses_api_agents", await servers.start(agent.setup_webserver()))
        environment = SingleAgentTurnEnvironmentServer(
            config=SingleAgentTurnEnvironmentServerConfig(
                name="environment",
                host="127.0.0.1",
                port=1,
                entrypoint="app.py",
                resources_server={"type": "resources_servers", "name": "resources"},
                agent_server={"type": "responses_api_agents", "name": "agent"},
                cleanup_timeout_seconds=10,
                resources_tool_transports=["direct_http"],
            ),
            server_client=server_client,
        )
        results = []
        for at, (row, plan) in enumerate(zip(rows_of(name), plans, strict=False)):
            params = row.pop("responses_create_params") | {"metadata": {"plan": json.dumps(plan)}}
            request = SingleAgentTurnRequest.model_validate(
                {
                    "episode_id": {"rollout_id": f"{name}-{at}"},
                    "task": {
                        "task_id": {"taskset": f"biplane:{name}", "task_id": row["id"]},
                        "task_input": {"responses_create_params": params, **row},
                    },
                }
            )
            results.append(await environment.run_request(request))
    return results


def tell_result(name, at, plan, response):
    assert response.failure is None, response.failure
    result = response.result
    told = result.model_dump()
    finished = told.get("terminated", False) or told.get("truncated", False)
    reward = None if result.mask_sample else result.reward
    tell(name, at, plan, reward=reward, finished=finished, masked=result.mask_sample)
    return result


@check
def conformance():
    """The session check of NeMo Gym passes, directly and through the file that was written"""

    def seed(name):
        return ResourcesSeedSessionRequest.model_validate(
            {
                "resources_session_id": name,
                "episode_id": {"rollout_id": "r1"},
                "task_id": {"taskset": "biplane:frozen-lake", "task_id": "0"},
                "task_data": {"seed": 7},
            }
        )

    forwarding_app = app_of("frozen-lake").forwarding_app
    check_resources_session_contract(forwarding_app(env("frozen-lake")), seed("rs-1"), keeps_state=True)
    check_resources_session_contract(direct(url), seed("rs-2"), keeps_state=True)


def direct(base):
    """Forwards to the root of the server, as a client that knows only host and port would ask."""
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def forward(path: str, request: Request):
        headers = {key: value for key, value in request.headers.items() if key in ("content-type", "cookie")}
        async with httpx.AsyncClient() as client:
            answer = await client.request(request.method, f"{base}/{path}", content=await request.body(), headers=headers)
        return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type"))

    return app


@check
def written_rows():
    """Rows have the prompt, the tools and the place of their task, and no answers"""
    for name in games:
        rows = rows_of(name)
        equal([row["id"] for row in rows], [f"seed_{seed}" for seed in range(8)], name)
        for row in rows:
            equal(sorted(row), ["id", "index", "responses_create_params", "split"], name)
            assert row["responses_create_params"]["tools"] and row["responses_create_params"]["input"][-1]["content"]


@check
def environment_server():
    """The environment server plays episodes of three games with the simple agent"""
    for name, count in games.items():
        rows = rows_of(name)
        tools = {tool["name"]: tool["parameters"] for tool in rows[0]["responses_create_params"]["tools"]}
        plans = [list(actions(tools, count, at)) for at in range(len(rows))]
        for at, response in enumerate(play(name, plans)):
            result = tell_result(name, at, plans[at], response)
            equal((result.mask_sample, result.failure_kind), (False, None), name)


@check
def failures():
    """A judge, an environment and a tool that die in the middle mask the sample; a refusal does not"""
    plans = [[(name, {}) for name in names] for names in breaks.values()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        responses = play("fragile", plans)
    for at, (what, response) in enumerate(zip(breaks, responses, strict=True)):
        result = tell_result("fragile", at, plans[at], response)
        equal(result.mask_sample, what in masked_breaks, what)
        equal(result.failure_kind is not None, result.mask_sample, what)
        if result.failure_kind:
            equal(validate_failure_kind(result.failure_kind), result.failure_kind)


@check
async def tools_over_mcp():
    """An agent plays the seeded episode over MCP, through the file that was written"""
    async with Servers() as servers:
        port = await servers.start(app_of("fragile").forwarding_app(env("fragile")))
        base = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=base) as client:
            seed = {"resources_session_id": "m1", "episode_id": {"rollout_id": "r"}}
            task = {"task_id": {"taskset": "t", "task_id": "0"}, "task_data": {"split": "train", "index": 3}}
            seeded = (await client.post("/seed_session", json=seed | task)).json()
            async with (
                streamablehttp_client(base + seeded["resources_tools"]["url_path"]) as (reading, writing, _),
                ClientSession(reading, writing) as session,
            ):
                await session.initialize()
                await session.call_tool("number_count", {})
            body = {"responses_create_params": {"input": "x"}, "response": responses_object()}
            verdict = SingleAgentTurnResult.model_validate((await client.post("/verify", json=body)).json())
            equal((verdict.reward, verdict.mask_sample), (1.0, False))
            equal((await client.post("/close_session", json=seed)).json(), {"resources_session_id": "m1"})


def responses_object():
    common = {"object": "response", "created_at": 0, "model": "m", "tool_choice": "auto", "tools": []}
    return {"id": "r", "output": [], "parallel_tool_calls": False, **common}


@check
def metrics():
    """Aggregate metrics have the form of NeMo Gym"""
    body = {"verify_responses": [{"reward": 1.0}, {"reward": 0.0, "mask_sample": True}]}
    answer = AggregateMetrics.model_validate(post(f"{url}/aggregate_metrics", body))
    equal(answer.key_metrics, {"mean/reward": 1.0, "masked_rollouts": 1})


@check
def nothing_left():
    """No session is left"""
    for name in [*games, "fragile"]:
        until(lambda name=name: episodes(name) == [], what=f"{name} has no episode")


holds(sys.argv[2], "resources_servers")
run(200)
