import { Environment } from "../../environment/environment.ts";
import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { mcpUrl } from "../mcp-url.ts";
import type { ConnectEnvironmentOptions, EnvironmentTarget } from "./connect-options.ts";
import type { Connector, EnvironmentClient } from "./environment-client.ts";
import { HttpClient } from "./http-client.ts";
import { inProcessConnector } from "./in-process.ts";
import { requestJson } from "./request-json.ts";

/**
 * Connects to an environment: one in this process, an OpenEnv or Eval Protocol server at a URL, or an MCP server. Call
 * `reset()` first, then `step(action)`, and `close()` when done.
 */
export async function connectEnvironment(
  target: EnvironmentTarget,
  options: ConnectEnvironmentOptions = {},
): Promise<EnvironmentClient> {
  const connector = await connectorFor(target, options);
  const client = connector.open();
  await connector.close(); // the client keeps what it uses
  return client;
}

/** Opens clients of a target. Sends no request, except to detect what a URL without `/mcp` serves. */
export async function connectorFor(
  target: EnvironmentTarget,
  options: ConnectEnvironmentOptions = {},
): Promise<Connector> {
  if (target instanceof Environment) return inProcessConnector(target);
  if (typeof target === "string" || target instanceof URL) return urlConnector(String(target), options);
  const { mcpConnector, multiServerConnector } = await import("./mcp.ts");
  return "mcpServers" in target ? multiServerConnector(target, options) : mcpConnector(target, options);
}

async function urlConnector(address: string, options: ConnectEnvironmentOptions): Promise<Connector> {
  const url = readUrl(address);
  switch (options.kind ?? (await kindOf(url, options))) {
    case "eval-protocol":
      return (await import("./eval-protocol.ts")).evalProtocolConnector(await mcpUrl(url.href), options);
    case "openenv":
      return (await import("./openenv.ts")).openEnvConnector(openEnvBase(url), options);
    case "mcp":
      return (await import("./mcp.ts")).mcpConnector(await mcpUrl(url.href), options);
  }
}

/**
 * `…/mcp` counts as Eval Protocol; a server that answers `/schema` is OpenEnv. In production its observations have no
 * reward, and its episodes are played over MCP sessions.
 */
async function kindOf(url: URL, options: ConnectEnvironmentOptions): Promise<"eval-protocol" | "openenv"> {
  if (url.protocol.startsWith("ws")) return "openenv";
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/mcp")) return "eval-protocol";
  if (path.endsWith("/ws")) return "openenv";
  const http = new HttpClient();
  try {
    const request = { http, options, method: "GET", timeoutMs: 5000 } as const;
    const { body } = await requestJson(`${openEnvBase(url)}/schema`, request);
    return isRecord(body) && isRecord(body["action"]) && hasRewards(body) ? "openenv" : "eval-protocol";
  } catch {
    return "eval-protocol"; // its connection reports the actual problem
  } finally {
    http.close();
  }
}

/** True unless the schema of the observations says that they have no reward. */
function hasRewards({ observation }: JsonObject): boolean {
  const properties = isRecord(observation) ? observation["properties"] : undefined;
  return !isRecord(properties) || Object.hasOwn(properties, "reward");
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && ["http:", "https:", "ws:", "wss:"].includes(url.protocol)) return url;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${address} is not a valid URL. Use http://host:port/mcp or http://host:port.`,
  );
}

/** The base URL of the OpenEnv API. */
function openEnvBase(url: URL): string {
  return url.href
    .replace(/^ws/, "http")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/ws$/, "");
}
