import type { Environment } from "../../environment/environment.ts";
import type { Server } from "../../server/server.ts";
import type { ConnectOptions, ProcessTarget } from "../options.ts";
import type { ControlPlaneTimeouts } from "./control-plane.ts";
import type { EnvironmentKind } from "./environment-client.ts";

/**
 * Where to play: an environment in this process, a URL, an MCP server in this process or started as a command, or
 * several MCP servers whose tools are offered together.
 */
export type EnvironmentTarget = Environment | string | URL | ProcessTarget | Server | ServersConfig;

/** An `mcpServers` file. As in Eval Protocol, `env` may be a list of variable names to pass on. */
export interface ServersConfig {
  readonly mcpServers: Readonly<Record<string, ServerConfig>>;
}

export interface ServerConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: string;
}

export interface ConnectEnvironmentOptions {
  /** Kind of server at a URL (default: detected). */
  readonly kind?: Exclude<EnvironmentKind, "environment">;
  /** How to reach an OpenEnv server: over its WebSocket `/ws` (default), or over `/reset`, `/step` and `/state`. */
  readonly transport?: "websocket" | "http";
  /** Control plane timeouts (default: 15 s for the first observation and the reset, 3 s for rewards and status). */
  readonly timeouts?: Partial<ControlPlaneTimeouts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearer?: ConnectOptions["bearer"];
  /** Environment for the variables in an `mcpServers` config (default: `process.env`). */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The headers of every request: those of the options, with the bearer token. */
export async function authorizedHeaders({
  headers = {},
  bearer,
}: ConnectEnvironmentOptions): Promise<Readonly<Record<string, string>>> {
  if (bearer === undefined) return headers;
  return { ...headers, authorization: `Bearer ${typeof bearer === "string" ? bearer : await bearer()}` };
}
