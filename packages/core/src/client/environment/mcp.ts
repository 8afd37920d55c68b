import { BiplaneError } from "../../errors.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import type { Task } from "../../environment/tasks.ts";
import type { Client } from "../client.ts";
import { connect } from "../connect.ts";
import type { Target } from "../options.ts";
import type { ToolInfo } from "../results.ts";
import { isListTools } from "./action.ts";
import type { EnvironmentAction } from "./action.ts";
import { failedAction, needsReset } from "./action-result.ts";
import { callRemoteTool, remoteCall } from "./call-remote-tool.ts";
import type { ConnectEnvironmentOptions, ServersConfig, ServerConfig } from "./connect-options.ts";
import type {
  Connector,
  ControlPlaneFault,
  EnvironmentClient,
  EpisodeState,
  ResetOptions,
  ResetOutcome,
  StepOptions,
  StepOutcome,
} from "./environment-client.ts";

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
  const open = () => new McpEnvironmentClient(name, servers, options);
  return { name, kind: "mcp", open, close: async () => undefined };
}

class McpEnvironmentClient implements EnvironmentClient {
  readonly name: string;
  readonly kind = "mcp";
  readonly #servers: readonly NamedServer[];
  readonly #options: ConnectEnvironmentOptions;
  readonly #clients: Client[] = [];
  readonly #owners = new Map<string, Client>();

  constructor(name: string, servers: readonly NamedServer[], options: ConnectEnvironmentOptions) {
    this.name = name;
    this.#servers = servers;
    this.#options = options;
  }

  /** Connects anew, which restarts servers that are processes. */
  async reset({ signal, snapshot }: ResetOptions = {}): Promise<ResetOutcome> {
    if (snapshot) throw this.#cannot("start from a snapshot");
    await this.close();
    for (const server of this.#servers) this.#clients.push(await this.#connect(server, signal));
    const tools = await this.#listTools(signal);
    const instructions = this.#clients.flatMap((client) => client.instructions ?? []);
    return { observation: instructions.join("\n\n"), source: "default", tools, faults: [] };
  }

  async step(action: EnvironmentAction, { signal }: StepOptions = {}): Promise<StepOutcome> {
    if (this.#clients.length === 0) throw needsReset();
    if (isListTools(action)) return { observation: { tools: await this.#listTools(signal) }, content: [], ...noStatus };
    const call = remoteCall(action, { name: this.name, has: (tool) => this.#owners.has(tool) });
    const client = this.#owners.get(call.tool);
    if (client) return { ...(await callRemoteTool(client, call, signal)), ...noStatus };
    const message = `There is no tool ${call.tool}. Available: ${Array.from(this.#owners.keys()).join(", ")}.`;
    return { ...failedAction(new BiplaneError("TOOL_NOT_FOUND", message)), ...noStatus };
  }

  async state(): Promise<EpisodeState> {
    throw this.#cannot("tell the state of an episode");
  }

  async fork(): Promise<EnvironmentClient> {
    throw this.#cannot("fork an episode");
  }

  async snapshot(): Promise<Snapshot> {
    throw this.#cannot("save an episode");
  }

  async tasks(): Promise<readonly Task[]> {
    throw this.#cannot("list tasks");
  }

  async close(): Promise<readonly ControlPlaneFault[]> {
    this.#owners.clear();
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    return [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #listTools(signal: AbortSignal | undefined): Promise<readonly ToolInfo[]> {
    this.#owners.clear();
    const tools: ToolInfo[] = [];
    for (const client of this.#clients) {
      for (const info of await client.listTools({ signal })) {
        if (this.#owners.has(info.name))
          throw new BiplaneError(
            "INVALID_DEFINITION",
            `Two servers have a tool ${JSON.stringify(info.name)}. Remove one of them.`,
          );
        this.#owners.set(info.name, client);
        tools.push(info);
      }
    }
    return tools;
  }

  #connect({ target, headers }: NamedServer, signal: AbortSignal | undefined): Promise<Client> {
    const { bearer } = this.#options;
    return connect(target, {
      headers: { ...this.#options.headers, ...headers },
      ...(bearer !== undefined && { bearer }),
      ...(signal && { signal }),
      onWarning: () => undefined,
      onStderr: () => undefined,
    });
  }

  #cannot(what: string): BiplaneError {
    return new BiplaneError(
      "NOT_SUPPORTED",
      `${this.name} is an MCP server without a control plane and cannot ${what}.`,
    );
  }
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
