import { logLevels } from "../../tool/log-level.ts";
import type { LogLevel } from "../../tool/log-level.ts";
import { appMimeType } from "../../tool/mcp-apps.ts";
import type { Question } from "../../tool/question.ts";
import {
  metaKey,
  modernVersion,
  legacyVersions,
  rpcCode,
  appsExtension,
  tasksExtension,
  latestLegacy,
} from "../../protocol/protocol.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** What a client declared about itself, at `initialize` or with every request. */
export interface McpClientInfo {
  readonly version: string;
  readonly name: string;
  readonly capabilities: Params;
  /** The minimum level of log messages to send; undefined for none. */
  readonly logLevel: LogLevel | undefined;
}

/** A client without a handshake: a plain JSON-RPC POST. */
export const plainClient: McpClientInfo = {
  version: latestLegacy,
  name: "unknown",
  capabilities: {},
  logLevel: undefined,
};

/** True if the request itself names its protocol version. */
export function isModern(params: Params): boolean {
  const meta = params["_meta"];
  return isRecord(meta) && metaKey.protocolVersion in meta;
}

/** Reads the client from the `_meta` of a modern request. */
export function modernClient(meta: unknown): McpClientInfo | RpcFault {
  if (!isRecord(meta)) return malformed("_meta");
  const version = meta[metaKey.protocolVersion];
  if (typeof version !== "string") return malformed(metaKey.protocolVersion);
  const capabilities = meta[metaKey.clientCapabilities];
  if (!isRecord(capabilities)) return malformed(metaKey.clientCapabilities);
  const level = meta[metaKey.logLevel];
  if (level !== undefined && !isLogLevel(level)) return malformed(metaKey.logLevel);
  if (version !== modernVersion) return unsupportedVersion(version);
  return { version, name: clientName(meta[metaKey.clientInfo]), capabilities, logLevel: level };
}

export function isFault(found: McpClientInfo | RpcFault): found is RpcFault {
  return "code" in found;
}

export function unsupportedVersion(requested: string): RpcFault {
  const supported = [modernVersion, ...legacyVersions];
  const message = `Unsupported protocol version: ${requested.slice(0, 64)}`;
  return {
    code: rpcCode.unsupportedVersion,
    message,
    data: { supported, requested: requested.slice(0, 64) },
    status: 400,
  };
}

export function clientName(info: unknown): string {
  return isRecord(info) && typeof info["name"] === "string" ? info["name"].slice(0, maxNameLength) : "unknown";
}

/** Sessions keep the name of their client. */
const maxNameLength = 200;

export function isLogLevel(level: unknown): level is LogLevel {
  return (logLevels as readonly unknown[]).includes(level);
}

export function canAnswer({ capabilities }: McpClientInfo, kind: Question["kind"]): boolean {
  const { elicitation, sampling, roots } = capabilities;
  switch (kind) {
    case "form":
      return isRecord(elicitation) && ("form" in elicitation || !("url" in elicitation));
    case "link":
      return isRecord(elicitation) && "url" in elicitation;
    case "sample":
      return isRecord(sampling);
    case "roots":
      return isRecord(roots);
  }
}

export function supportsTasks({ capabilities, version }: McpClientInfo): boolean {
  const { extensions } = capabilities;
  return version === modernVersion && isRecord(extensions) && isRecord(extensions[tasksExtension]);
}

/** True if the client declared that it can show MCP Apps. */
export function showsApps({ capabilities: { extensions } }: McpClientInfo): boolean {
  const apps = isRecord(extensions) ? extensions[appsExtension] : undefined;
  return isRecord(apps) && Array.isArray(apps["mimeTypes"]) && apps["mimeTypes"].includes(appMimeType);
}

/** The capability that a client lacks, as the error data names it. */
export function capabilityFor(need: unknown): Params {
  switch (need) {
    case "form":
      return { elicitation: { form: {} } };
    case "link":
      return { elicitation: { url: {} } };
    case "sample":
      return { sampling: {} };
    case "roots":
      return { roots: {} };
    default:
      return { extensions: { [tasksExtension]: {} } };
  }
}

function malformed(key: string): RpcFault {
  return { code: rpcCode.invalidParams, message: `Invalid params: _meta needs ${key}`, status: 400 };
}
