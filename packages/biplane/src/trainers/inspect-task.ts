import { pythonName } from "./python-name.ts";
import type { TrainerExport, TrainerTask } from "./trainer-task.ts";

/** A task for Inspect AI, and its dataset: text by path. */
export function inspectTask(made: TrainerExport): Readonly<Record<string, string>> {
  const name = pythonName(made.name);
  return {
    [`${name}.py`]: taskFile(made, name),
    [`${name}.jsonl`]: made.tasks.map((task) => `${JSON.stringify(sample(task))}\n`).join(""),
  };
}

function sample({ id, seed, config, system, prompt }: TrainerTask): object {
  const messages = [...(system === "" ? [] : [{ role: "system", content: system }]), { role: "user", content: prompt }];
  return { id, input: messages, metadata: { seed, config } };
}

function taskFile({ name: environment, url }: TrainerExport, name: string): string {
  return `"""${environment} on a Biplane server: an episode for each sample, over MCP, scored by the control plane.

inspect eval ${name}.py --model openai/gpt-4o-mini        needs: pip install inspect-ai "mcp<2"
BIPLANE_URL names the server, BIPLANE_TOKEN the trainer's token if the server needs one.
"""

import os
from contextlib import suppress
from pathlib import Path

import httpx
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import solver
from inspect_ai.tool import mcp_connection, mcp_server_http

URL = os.environ.get("BIPLANE_URL", ${JSON.stringify(url)}).rstrip("/")


@task
def ${name}(url: str = URL, message_limit: int = 100) -> Task:
    return Task(
        dataset=json_dataset(str(Path(__file__).with_suffix(".jsonl"))),
        solver=play(url),
        scorer=control_plane(url),
        cleanup=end_episode(url),
        message_limit=message_limit,
        fail_on_error=False,  # a failed sample is not scored, and the others go on
    )


@solver
def play(url: str):
    async def solve(state, generate):
        start = {"config": state.metadata.get("config") or {}}
        if state.metadata.get("seed") is not None:
            start["seed"] = state.metadata["seed"]
        episode = await control("POST", f"{url}/control/episodes", start)
        state.metadata["episode"] = episode["id"]
        server = mcp_server_http(name="biplane", url=url + episode["url"], headers=headers())
        async with mcp_connection(server):
            state.tools = await server.tools()
            while True:
                state = await generate(state, tool_calls="single")
                if state.completed or not state.output.message.tool_calls:
                    return state
                episode = await control("GET", episode_url(url, state))
                if episode["terminated"] or episode["truncated"]:
                    return state

    return solve


@scorer(metrics=[mean(), stderr()])
def control_plane(url: str):
    async def score(state, target):
        episode = await control("GET", episode_url(url, state))
        facts = {key: episode[key] for key in ("seed", "step_count", "terminated", "truncated")}
        failure = episode.get("failure")
        if episode["total_reward"] is None or (failure and failure["masked"]):
            reason = f"{failure['kind']}: {failure['message']}" if failure else "The episode has no reward."
            return Score.unscored(reason="scoring_failed", explanation=reason, metadata={**facts, "failure": failure})
        return Score(value=episode["total_reward"], metadata=facts)

    return score


def end_episode(url: str):
    async def cleanup(state):
        if "episode" in state.metadata:
            with suppress(Exception):  # it may have ended by itself
                await control("DELETE", episode_url(url, state))

    return cleanup


def episode_url(url, state):
    return f"{url}/control/episodes/{state.metadata['episode']}"


async def control(method, url, body=None):
    async with httpx.AsyncClient(timeout=60, headers=headers()) as client:
        response = await client.request(method, url, json=body)
    if not response.is_success:
        raise RuntimeError(f"{method} {url} failed with {response.status_code}: {response.text[:500]}")
    return response.json()


def headers():
    token = os.environ.get("BIPLANE_TOKEN")
    return {"Authorization": f"Bearer {token}"} if token else {}
`;
}
