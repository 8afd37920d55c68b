import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import type { Target } from "../../client/options.ts";
import { BiplaneError } from "../../errors.ts";
import type { MakeOptions, ServerConfig, ServersConfig } from "../make.ts";
import type { ToolDefinition } from "../message.ts";
import { callOver } from "./call-over.ts";
import type { Acted, Action, Beginning, Door, DoorMaker, Fault, Judgement, Visit } from "./door.ts";
import { toolDefinition } from "./tool-cache.ts";

/** Doors to a server that has tools and no control plane: nothing is rewarded, and only the agent ends it. */
export function mcpDoors(target: Target, options: MakeOptions): DoorMaker {
  const name =
    typeof target === "string"
      ? target
      : "name" in target
        ? target.name
        : "command" in target
          ? target.command
          : target.href;
  return toolDoors(name, () => [{ name, target, authorization: undefined }], options);
}

/** Doors to several servers at once, whose tools are offered together under their own names. */
export function severalDoors({ mcpServers }: ServersConfig, options: MakeOptions): DoorMaker {
  const env = options.env ?? process.env;
  const servers = Object.entries(mcpServers).map(([name, config]) => readServer(name, config, env));
  return toolDoors(Object.keys(mcpServers).join(", "), () => servers, options);
}

interface NamedServer {
  readonly name: string;
  readonly target: Target;
  readonly authorization: string | undefined;
}

function toolDoors(name: string, servers: () => readonly NamedServer[], options: MakeOptions): DoorMaker {
  return {
    name,
    kind: "mcp",
    open: (visit) => new ToolDoor(servers(), visit, options),
    close: async () => undefined,
  };
}

class ToolDoor implements Door {
  readonly #servers: readonly NamedServer[];
  readonly #visit: Visit;
  readonly #options: MakeOptions;
  readonly #clients: Client[] = [];
  readonly #owners = new Map<string, Client>();

  constructor(servers: readonly NamedServer[], visit: Visit, options: MakeOptions) {
    this.#servers = servers;
    this.#visit = visit;
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<Beginning> {
    const tools: ToolDefinition[] = [];
    for (const server of this.#servers) {
      const client = await this.#connect(server, signal);
      this.#clients.push(client);
      for (const info of await client.listTools({ signal })) {
        if (this.#owners.has(info.name))
          throw new BiplaneError(
            "INVALID_DEFINITION",
            `two of the servers have a tool ${JSON.stringify(info.name)}; leave one out`,
          );
        this.#owners.set(info.name, client);
        tools.push(toolDefinition(info));
      }
    }
    const instructions = this.#clients.flatMap((client) => client.instructions ?? []);
    return { observation: instructions.join("\n\n"), source: "default", tools, faults: [] };
  }

  async act(action: Action, signal: AbortSignal): Promise<Acted> {
    const client = this.#owners.get(action.name);
    if (client) return callOver(client, action, { ...this.#visit, signal });
    const message = `there is no tool ${action.name}; there are ${Array.from(this.#owners.keys()).join(", ")}`;
    return { observation: { error: "tool_not_found", message }, content: `Error: ${message}`, isError: true };
  }

  judge(): Judgement {
    return { reward: null, terminated: false, truncated: false, info: {}, faults: [] };
  }

  async end(): Promise<readonly Fault[]> {
    this.#owners.clear();
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    return [];
  }

  #connect({ target, authorization }: NamedServer, signal: AbortSignal): Promise<Client> {
    const { headers = {}, bearer } = this.#options;
    const own = authorization === undefined ? headers : { ...headers, authorization };
    return connect(target, {
      headers: own,
      ...(bearer !== undefined && { bearer }),
      signal,
      onWarning: () => undefined,
      onStderr: () => undefined,
    });
  }
}

/** One server of a config. Values of variables are never written there: their names are. */
function readServer(
  name: string,
  config: ServerConfig,
  env: Readonly<Record<string, string | undefined>>,
): NamedServer {
  const { command, args = [], url, cwd } = config;
  const authorization = config.authorization === undefined ? undefined : substitute(config.authorization, name, env);
  if (command === undefined) {
    if (url === undefined) throw new BiplaneError("INVALID_DEFINITION", `the server ${name} needs a command or a url`);
    return { name, target: url, authorization };
  }
  const listed = Array.isArray(config.env) ? (config.env as readonly string[]) : undefined;
  const missing = (listed ?? []).filter((each) => env[each] === undefined);
  if (missing.length > 0)
    throw new BiplaneError("INVALID_DEFINITION", `the server ${name} needs ${missing.join(", ")} in the environment`);
  const passed = listed
    ? Object.fromEntries(listed.map((each) => [each, env[each] ?? ""]))
    : ((config.env ?? {}) as Readonly<Record<string, string>>);
  return { name, target: { command, args, env: passed, ...(cwd !== undefined && { cwd }) }, authorization };
}

function substitute(text: string, name: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_, braced: string | undefined, plain: string | undefined) => {
    const variable = braced ?? plain ?? "";
    const value = env[variable];
    if (value === undefined)
      throw new BiplaneError("INVALID_DEFINITION", `the server ${name} needs ${variable} in the environment`);
    return value;
  });
}
