import type { ConnectOptions, ProcessTarget } from "../client/options.ts";
import { Environment } from "../environment/environment.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import type { Server } from "../server/server.ts";
import type { DoorKind, DoorMaker } from "./door/door.ts";
import { inProcessDoors } from "./door/in-process.ts";
import type { Timeouts } from "./door/control-plane.ts";
import type { Row } from "./row.ts";
import { readRow } from "./row.ts";

/**
 * What to play in: an environment of this process, an address, a program that speaks MCP, or several servers whose tools
 * are offered together.
 */
export type RolloutTarget = Environment | string | URL | ProcessTarget | Server | ServersConfig;

/** The shape of an `mcpServers` file. `env` may be a list of names to pass on, as Eval Protocol has it. */
export interface ServersConfig {
  readonly mcpServers: Readonly<Record<string, ServerConfig>>;
}

export interface ServerConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly authorization?: string;
}

export interface MakeOptions {
  readonly rows: readonly Row[];
  /** Part of every session's id, and told to the server; the agent's model unless given. */
  readonly modelId?: string;
  /** What kind of server an address is of; found out unless given. */
  readonly kind?: Exclude<DoorKind, "environment">;
  /** How long to wait for the control plane: 15 s for the first observation and the reset, 3 s for rewards and statuses. */
  readonly timeouts?: Partial<Timeouts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearer?: ConnectOptions["bearer"];
  /** Where the names in a config of several servers are looked up: the process's own environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Rows and where they are played. Close it when done. */
export interface Envs extends AsyncDisposable {
  readonly rows: readonly Row[];
  readonly modelId: string | undefined;
  readonly doors: DoorMaker;
  close(): Promise<void>;
}

/** Puts rows and a place to play them together. Nothing is contacted but, for an address of unknown kind, the address. */
export async function make(target: RolloutTarget, options: MakeOptions): Promise<Envs> {
  const rows = options.rows.map((row, at) => {
    try {
      return readRow(row);
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `row ${at}: ${messageOf(error)}`, { cause: error });
    }
  });
  const doors = await doorsTo(target, options);
  return {
    rows,
    modelId: options.modelId,
    doors,
    close: () => doors.close(),
    [Symbol.asyncDispose]: () => doors.close(),
  };
}

async function doorsTo(target: RolloutTarget, options: MakeOptions): Promise<DoorMaker> {
  if (target instanceof Environment) return inProcessDoors(target);
  if (typeof target === "string" || target instanceof URL) {
    const { addressDoors } = await import("./door/address.ts");
    return addressDoors(String(target), options);
  }
  const { mcpDoors, severalDoors } = await import("./door/mcp.ts");
  return "mcpServers" in target ? severalDoors(target, options) : mcpDoors(target, options);
}
