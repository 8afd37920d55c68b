import type { Overview, ShownServer, ShownTool } from "../../../../src/desk/contract.ts";
import { initialValue } from "../../components/schema-form/schema-form.tsx";
import type { Language } from "../../components/tokenize.ts";

/** A way to reach a server, ready to be copied. */
export interface Way {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly language: Language;
  readonly text: string;
}

/** What fits a server: environments are for trainers too, while their doors are open. */
export function waysTo(server: ShownServer, overview: Overview, tool: ShownTool | undefined): readonly Way[] {
  const base = `${overview.url}${server.base}`;
  const isGym = server.doors.some(({ plane }) => plane === "trainer");
  return [
    desktop(server, overview, base),
    address(base),
    isGym ? curlEpisode(base, tool) : curlCall(base, tool),
    ...(isGym ? [openEnv(base, tool), evalProtocol(base)] : []),
  ];
}

function address(base: string): Way {
  return {
    id: "mcp",
    title: "MCP",
    about: "For any MCP client: both eras of the protocol, over HTTP and WebSocket, on one address.",
    language: "text",
    text: `${base}/mcp`,
  };
}

function desktop(server: ShownServer, { command }: Overview, base: string): Way {
  const isProgram = command !== null && server.base === "";
  const entry = isProgram ? command : { type: "http", url: `${base}/mcp` };
  return {
    id: "desktop",
    title: "Desktop host",
    about: isProgram
      ? "Into the host's MCP settings; it then starts the server itself."
      : "Into the host's MCP settings, for hosts that connect over HTTP.",
    language: "json",
    text: withShortLists({ mcpServers: { [server.name]: entry } }),
  };
}

function curlCall(base: string, tool: ShownTool | undefined): Way {
  const call = { tool: tool?.name ?? "tool_name", arguments: sampleInput(tool) };
  return {
    id: "curl",
    title: "curl",
    about: "A call as one POST. What can be called is at /mcp/capabilities.",
    language: "shell",
    text: `curl -s ${base}/mcp/execute \\\n  -d ${quoted(call)}`,
  };
}

function curlEpisode(base: string, tool: ShownTool | undefined): Way {
  const action = { type: "call_tool", tool_name: tool?.name ?? "tool_name", arguments: sampleInput(tool) };
  return {
    id: "curl",
    title: "curl",
    about: "Begins an episode and makes a step in it.",
    language: "shell",
    text: [
      `curl -s ${base}/reset -H 'content-type: application/json' \\\n  -d '{"seed": 42}'`,
      `curl -s ${base}/step -H 'content-type: application/json' \\\n  -d ${quoted({ action })}`,
    ].join("\n"),
  };
}

function openEnv(base: string, tool: ShownTool | undefined): Way {
  const action = python({ type: "call_tool", tool_name: tool?.name ?? "tool_name", arguments: sampleInput(tool) });
  return {
    id: "openenv",
    title: "OpenEnv",
    about: "For TRL and other trainers in Python: pip install openenv",
    language: "python",
    text: `from openenv.core import GenericEnvClient

with GenericEnvClient(base_url="${base}").sync() as env:
    result = env.reset(seed=42)
    result = env.step(${action})
    print(result.observation, result.reward, result.done)`,
  };
}

function evalProtocol(base: string): Way {
  return {
    id: "eval-protocol",
    title: "Eval Protocol",
    about: "Tools over MCP, rewards on the control plane: pip install eval-protocol",
    language: "python",
    text: `import eval_protocol as ep

envs = ep.make("${base}/mcp", evaluation_rows=rows, model_id=policy.model_id)
played = await ep.rollout(envs, policy=policy, evaluation_rows=rows, steps=30)`,
  };
}

/** An input that is right in shape, with the tool's own examples where it has some. */
function sampleInput(tool: ShownTool | undefined): unknown {
  if (!tool) return {};
  const value = initialValue(tool.input);
  return typeof value === "object" && value !== null ? value : {};
}

/** Indented JSON, with lists on one line, as people write them. */
function withShortLists(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/\[\n[^[\]{}]*\]/g, (list) => list.replaceAll(/\n\s*/g, " "));
}

/** JSON as one word of a shell. */
function quoted(value: unknown): string {
  return `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`;
}

function python(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/\btrue\b(?=[,}\]])/g, "True")
    .replaceAll(/\bfalse\b(?=[,}\]])/g, "False")
    .replaceAll(/\bnull\b(?=[,}\]])/g, "None");
}
