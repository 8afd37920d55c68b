import { className, pythonName } from "./python-name.ts";
import type { TrainerExport, TrainerTask } from "./trainer-task.ts";

/** A Python package for verifiers and its hub: text by path. Its tools are called over MCP. */
export function verifiersPackage(made: TrainerExport): Readonly<Record<string, string>> {
  const names = { environment: made.name, module: pythonName(made.name), type: className(made.name), url: made.url };
  const { module } = names;
  return {
    "pyproject.toml": pyproject(names),
    "README.md": readme(names),
    "eval.toml": evalConfig(names),
    [`${module}/__init__.py`]: `from ${module}.taskset import ${names.type}Taskset\n\n__all__ = ["${names.type}Taskset"]\n`,
    [`${module}/taskset.py`]: taskset(names),
    [`${module}/toolset.py`]: toolset,
    [`${module}/tasks.jsonl`]: made.tasks.map((task) => `${JSON.stringify(row(task))}\n`).join(""),
  };
}

interface Names {
  readonly environment: string;
  readonly module: string;
  readonly type: string;
  readonly url: string;
}

function row({ id, seed, config, system, prompt }: TrainerTask): object {
  return { id, name: id, seed, episode_config: config, system_prompt: system === "" ? null : system, prompt };
}

function distributionName(module: string): string {
  return module.replaceAll("_", "-");
}

function pyproject({ module, environment }: Names): string {
  return `[project]
name = "${distributionName(module)}"
version = "0.1.0"
description = ${JSON.stringify(`The environment ${environment} of a Biplane server, for verifiers.`)}
requires-python = ">=3.11"
dependencies = ["verifiers>=0.4.0", "httpx>=0.27"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["${module}"]
`;
}

function evalConfig({ module }: Names): string {
  return `# vf-eval @ eval.toml
model = "gpt-4o-mini"
num_rollouts = 1
push = false
output_dir = "outputs"

[client]
base_url = "https://api.openai.com/v1"
api_key_var = "OPENAI_API_KEY"

[env.taskset]
id = "${distributionName(module)}"

[env.agent]
harness = { id = "null" }
runtime = { type = "subprocess" }
max_turns = 50
`;
}

function readme({ environment, module, url }: Names): string {
  return `# ${distributionName(module)}

The environment ${environment} of a Biplane server. Each rollout plays an episode of its own: the model calls its tools
over MCP, and the reward comes from the control plane, which the model cannot reach.

\`\`\`sh
npx biplane serve --env ${environment}      # or the module that exports your environment
uv pip install -e .
vf-eval @ eval.toml
\`\`\`

- \`BIPLANE_URL\` names the server (default: ${url}), \`BIPLANE_TOKEN\` the trainer's token if it needs one.
- \`${module}/tasks.jsonl\` has a line per task: its seed, the config of its episode, and its prompt.
- A rollout whose reward is unknown has \`ok: false\` and an error. It is never scored 0.
`;
}

function taskset({ environment, module, type, url }: Names): string {
  return `"""${environment} on a Biplane server: an episode for each rollout, and its reward from the control plane."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import verifiers.v1 as vf
from verifiers.v1.mcp import SharedToolsetConfig

from ${module}.toolset import EpisodeState, EpisodeToolset, headers, server_url

DEFAULT_URL = ${JSON.stringify(url)}


class ${type}Data(vf.TaskData):
    seed: int | None = None
    episode_config: dict[str, Any] = {}


class ${type}TaskConfig(vf.TaskConfig):
    base_url: str | None = None
    """The Biplane server, or one of its environments: http://host:port/env/<name>. Default: BIPLANE_URL."""


class ${type}Task(vf.Task[${type}Data, EpisodeState, ${type}TaskConfig]):
    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        base = self.config.base_url or server_url(DEFAULT_URL)
        body = {"config": self.data.episode_config}
        if self.data.seed is not None:
            body["seed"] = self.data.seed
        episode = await control("POST", f"{base}/control/episodes", body)
        trace.state.episode_url = f"{base}/control/episodes/{episode['id']}"
        trace.state.mcp_url = f"{base}{episode['url']}"

    @vf.stop
    async def episode_over(self, trace: vf.Trace) -> bool:
        episode = await control("GET", trace.state.episode_url)
        return episode["terminated"] or episode["truncated"]

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace) -> float:
        """The total reward. Raises if it is unknown, so that the rollout counts as failed and not as 0."""
        episode = await control("GET", trace.state.episode_url)
        with suppress(Exception):  # it may have ended by itself
            await control("DELETE", trace.state.episode_url)
        failure = episode.get("failure")
        if failure and failure["masked"]:
            raise RuntimeError(f"The episode failed ({failure['kind']}): {failure['message']}")
        if episode["total_reward"] is None:
            raise RuntimeError("The episode has no reward.")
        trace.record_metric("steps", float(episode["step_count"]))
        return float(episode["total_reward"])


async def control(method: str, url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    async with httpx.AsyncClient(timeout=60, headers=headers()) as client:
        response = await client.request(method, url, json=body)
    if not response.is_success:
        raise RuntimeError(f"{method} {url} failed with {response.status_code}: {response.text[:500]}")
    return response.json()


class ${type}Config(vf.TasksetConfig):
    tools: SharedToolsetConfig = SharedToolsetConfig()
    task: ${type}TaskConfig = ${type}TaskConfig()


class ${type}Taskset(vf.Taskset[${type}Task, ${type}Config]):
    @classmethod
    def toolsets(cls, config: ${type}Config) -> list[vf.Toolset]:
        return [EpisodeToolset(config.tools)]

    def load(self) -> Iterator[${type}Task]:
        with Path(__file__).with_name("tasks.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                yield ${type}Task(${type}Data(**json.loads(line)), self.config.task)
`;
}

/** A toolset's URL is the same for all rollouts, so this one looks up the episode of its caller. */
const toolset = `"""Passes the tools of each rollout's own episode on to the model."""

import os
from typing import Any, cast

import verifiers.v1 as vf
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, Tool
from verifiers.v1.harnesses.utils.mcp import mcp_client
from verifiers.v1.mcp import SharedToolsetConfig


def server_url(default: str) -> str:
    return os.environ.get("BIPLANE_URL", default).rstrip("/")


def headers() -> dict[str, str]:
    token = os.environ.get("BIPLANE_TOKEN")
    return {"Authorization": f"Bearer {token}"} if token else {}


class EpisodeState(vf.State):
    episode_url: str = ""
    mcp_url: str = ""


class EpisodeToolset(vf.Toolset[SharedToolsetConfig, EpisodeState]):
    TOOL_PREFIX = None

    def register(self, mcp: MCPServer) -> None:
        # The tools are those of the rollout's episode, so there is no fixed list to register.
        server = cast(Any, mcp)
        server.list_tools = self._with_state(self.list_tools)
        server.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        async with mcp_client({"url": self.state.mcp_url, "headers": headers()}) as client:
            return (await client.list_tools()).tools

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        async with mcp_client({"url": self.state.mcp_url, "headers": headers()}) as client:
            return await client.call_tool(name, arguments)


if __name__ == "__main__":
    EpisodeToolset.run()
`;
