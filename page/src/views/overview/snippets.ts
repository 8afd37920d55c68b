import type {
  Overview,
  ServerInfo,
  ToolSummary,
} from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { initialValue } from "../../components/schema-form/schema-form.tsx";
import type { Language } from "../../components/tokenize.ts";

/** A snippet that connects a client to a server. */
export interface ConnectSnippet {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly language: Language;
  readonly text: string;
}

/** The snippets for a server. Environments also get those for trainers, if the trainer endpoints are enabled. */
export function connectSnippets(
  server: ServerInfo,
  overview: Overview,
  tool: ToolSummary | undefined,
): readonly ConnectSnippet[] {
  const base = `${overview.url}${server.base}`;
  const hasTrainerEndpoints = server.endpoints.some(({ plane }) => plane === "trainer");
  return [
    desktop(server, overview),
    http(server, base),
    pythonClient(base, tool),
    hasTrainerEndpoints ? curlEpisode(base, tool) : curlCall(base, tool),
    ...(hasTrainerEndpoints ? [openEnv(base, tool), evalProtocol(base)] : []),
  ];
}

/** Desktop hosts start a program and talk to it over standard input and output. */
function desktop(server: ServerInfo, { command, url }: Overview): ConnectSnippet {
  const isProgram = command !== null && server.base === "";
  const proxy = { command: "npx", args: ["biplane", "proxy", `${url}${server.base}/mcp`] };
  return {
    id: "desktop",
    title: "Claude Desktop",
    about: isProgram
      ? "Add this to claude_desktop_config.json, or to the settings of another desktop host, and restart it. It starts the server itself."
      : "Add this to claude_desktop_config.json, or to the settings of another desktop host, and restart it. Its calls then reach this server.",
    language: "json",
    text: withShortLists({ mcpServers: { [server.name]: isProgram ? command : proxy } }),
  };
}

function http(server: ServerInfo, base: string): ConnectSnippet {
  return {
    id: "mcp",
    title: "HTTP",
    about: "For hosts and agents that connect over HTTP. The address serves both MCP versions, and WebSocket.",
    language: "json",
    text: withShortLists({ mcpServers: { [server.name]: { type: "http", url: `${base}/mcp` } } }),
  };
}

function pythonClient(base: string, tool: ToolSummary | undefined): ConnectSnippet {
  const call = `"${tool?.name ?? "tool_name"}", ${python(sampleInput(tool))}`;
  return {
    id: "python",
    title: "Python",
    about: "With the MCP SDK: pip install mcp",
    language: "python",
    text: `import asyncio
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

async def main():
    async with streamablehttp_client("${base}/mcp") as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print(await session.call_tool(${call}))

asyncio.run(main())`,
  };
}

function curlCall(base: string, tool: ToolSummary | undefined): ConnectSnippet {
  const call = { tool: tool?.name ?? "tool_name", arguments: sampleInput(tool) };
  return {
    id: "curl",
    title: "curl",
    about: "Calls a tool with one POST request. GET /mcp/capabilities lists the tools.",
    language: "shell",
    text: `curl -s ${base}/mcp/execute \\\n  -d ${quoted(call)}`,
  };
}

function curlEpisode(base: string, tool: ToolSummary | undefined): ConnectSnippet {
  const action = { type: "call_tool", tool_name: tool?.name ?? "tool_name", arguments: sampleInput(tool) };
  return {
    id: "curl",
    title: "curl",
    about: "Starts an episode and takes one step.",
    language: "shell",
    text: [
      `curl -s ${base}/reset -H 'content-type: application/json' \\\n  -d '{"seed": 42}'`,
      `curl -s ${base}/step -H 'content-type: application/json' \\\n  -d ${quoted({ action })}`,
    ].join("\n"),
  };
}

function openEnv(base: string, tool: ToolSummary | undefined): ConnectSnippet {
  const action = python({ type: "call_tool", tool_name: tool?.name ?? "tool_name", arguments: sampleInput(tool) });
  return {
    id: "openenv",
    title: "OpenEnv",
    about: "For TRL and other Python trainers: pip install openenv",
    language: "python",
    text: `from openenv.core import GenericEnvClient

with GenericEnvClient(base_url="${base}").sync() as env:
    result = env.reset(seed=42)
    result = env.step(${action})
    print(result.observation, result.reward, result.done)`,
  };
}

function evalProtocol(base: string): ConnectSnippet {
  return {
    id: "eval-protocol",
    title: "Eval Protocol",
    about: "Tools over MCP, rewards over the control plane: pip install eval-protocol",
    language: "python",
    text: `import eval_protocol as ep

envs = ep.make("${base}/mcp", evaluation_rows=rows, model_id=policy.model_id)
played = await ep.rollout(envs, policy=policy, evaluation_rows=rows, steps=30)`,
  };
}

/** A schema-conforming input with the tool's defaults. */
function sampleInput(tool: ToolSummary | undefined): unknown {
  if (!tool) return {};
  const value = initialValue(tool.input);
  return typeof value === "object" && value !== null ? value : {};
}

/** Indented JSON with short lists on one line. */
function withShortLists(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/\[\n[^[\]{}]*\]/g, (list) => {
    const line = list.replaceAll(/\n\s*/g, " ");
    return line.length > 40 ? list : line;
  });
}

/** JSON as one shell argument. */
function quoted(value: unknown): string {
  return `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`;
}

function python(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/\btrue\b(?=[,}\]])/g, "True")
    .replaceAll(/\bfalse\b(?=[,}\]])/g, "False")
    .replaceAll(/\bnull\b(?=[,}\]])/g, "None");
}
