import { BiplaneError } from "../../errors.ts";
import type { Client } from "../client.ts";
import { connect } from "../connect.ts";
import type { Target } from "../options.ts";
import type { ToolInfo } from "../results.ts";
import { isListTools } from "./action.ts";
import { failedAction, needsReset } from "./action-result.ts";
import { callRemoteTool, remoteCall } from "./call-remote-tool.ts";
import type { ConnectEnvironmentOptions, ServersConfig, ServerConfig } from "./connect-options.ts";
import type { Connector, EnvironmentClient } from "./environment-client.ts";

/** Connects to an MCP server without a control plane: no rewards, and only the agent ends the episode. */
export function mcpConnector(target: Target, options: ConnectEnvironmentOptions): Connector {
  const name =
    typeof target === "string"
      ? target
      : "name" in target
        ? target.name
        : "command" in target
          ? target.command
          : target.href;
  return serversConnector(name, [{ name, target, headers: {} }], options);
}

/** Connects to several MCP servers and offers their tools together, without prefixes. */
export function multiServerConnector({ mcpServers }: ServersConfig, options: ConnectEnvironmentOptions): Connector {
  const env = options.env ?? process.env;
  const servers = Object.entries(mcpServers).map(([name, config]) => namedServer(name, config, env));
  return serversConnector(Object.keys(mcpServers).join(", "), servers, options);
}

function serversConnector(
  name: string,
  servers: readonly NamedServer[],
  options: ConnectEnvironmentOptions,
): Connector {
  const open = () => openClient(name, servers, options);
  return { name, kind: "mcp", open, close: async () => undefined };
}

function openClient(
  name: string,
  servers: readonly NamedServer[],
  { headers: shared, bearer }: ConnectEnvironmentOptions,
): EnvironmentClient {
  const clients: Client[] = [];
  const owners = new Map<string, Client>();

  async function cannot(what: string): Promise<never> {
    throw new BiplaneError("NOT_SUPPORTED", `${name} is an MCP server without a control plane and cannot ${what}.`);
  }

  async function listTools(signal: AbortSignal | undefined): Promise<readonly ToolInfo[]> {
    owners.clear();
    const tools: ToolInfo[] = [];
    for (const client of clients) {
      for (const info of await client.listTools({ signal })) {
        if (owners.has(info.name))
          throw new BiplaneError(
            "INVALID_DEFINITION",
            `Two servers have a tool ${JSON.stringify(info.name)}. Remove one of them.`,
          );
        owners.set(info.name, client);
        tools.push(info);
      }
    }
    return tools;
  }

  async function close(): Promise<[]> {
    owners.clear();
    await Promise.all(clients.splice(0).map((client) => client.close()));
    return [];
  }

  return {
    name,
    kind: "mcp",
    /** Connects anew, which restarts servers that are processes. */
    async reset({ signal, snapshot } = {}) {
      if (snapshot) return cannot("start from a snapshot");
      await close();
      for (const { target, headers } of servers) {
        const client = await connect(target, {
          headers: { ...shared, ...headers },
          ...(bearer !== undefined && { bearer }),
          ...(signal && { signal }),
          onWarning: () => undefined,
          onStderr: () => undefined,
        });
        clients.push(client);
      }
      const tools = await listTools(signal);
      const instructions = clients.flatMap((client) => client.instructions ?? []);
      return { observation: instructions.join("\n\n"), source: "default", tools, faults: [] };
    },
    async step(action, { signal } = {}) {
      if (clients.length === 0) throw needsReset();
      if (isListTools(action)) return { observation: { tools: await listTools(signal) }, content: [], ...noStatus };
      const call = remoteCall(action, { name, has: (tool) => owners.has(tool) });
      const client = owners.get(call.tool);
      if (client) return { ...(await callRemoteTool(client, call, signal)), ...noStatus };
      const message = `There is no tool ${call.tool}. Available: ${Array.from(owners.keys()).join(", ")}.`;
      return { ...failedAction(new BiplaneError("TOOL_NOT_FOUND", message)), ...noStatus };
    },
    state: () => cannot("tell the state of an episode"),
    fork: () => cannot("fork an episode"),
    snapshot: () => cannot("save an episode"),
    tasks: () => cannot("list tasks"),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

const noStatus = { reward: null, terminated: false, truncated: false, done: false, info: {}, faults: [] };

/** An MCP server to connect to. */
interface NamedServer {
  readonly name: string;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads one server of an `mcpServers` config and resolves its environment variables. */
function namedServer(
  name: string,
  config: ServerConfig,
  env: Readonly<Record<string, string | undefined>>,
): NamedServer {
  const { command, args = [], url, cwd } = config;
  const headers =
    config.authorization === undefined
      ? { ...config.headers }
      : { ...config.headers, authorization: substitute(config.authorization, name, env) };
  if (command === undefined) {
    if (url === undefined) throw new BiplaneError("INVALID_DEFINITION", `The server ${name} needs a command or a url.`);
    return { name, target: url, headers };
  }
  const listed = Array.isArray(config.env) ? (config.env as readonly string[]) : undefined;
  const missing = (listed ?? []).filter((each) => env[each] === undefined);
  if (missing.length > 0)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The server ${name} needs the environment variables ${missing.join(", ")}.`,
    );
  const passed = listed
    ? Object.fromEntries(listed.map((each) => [each, env[each] ?? ""]))
    : ((config.env ?? {}) as Readonly<Record<string, string>>);
  return { name, target: { command, args, env: passed, ...(cwd !== undefined && { cwd }) }, headers };
}

function substitute(text: string, name: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_, braced: string | undefined, plain: string | undefined) => {
    const variable = braced ?? plain ?? "";
    const value = env[variable];
    if (value === undefined)
      throw new BiplaneError("INVALID_DEFINITION", `The server ${name} needs the environment variable ${variable}.`);
    return value;
  });
}
