import { appMimeType } from "../../tool/app.ts";
import { logLevels } from "../../tool/call.ts";
import type { LogLevel } from "../../tool/call.ts";
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
import { isObject } from "../../protocol/rpc.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";

/** What a client has said of itself: at `initialize`, or with every request. */
export interface Client {
  readonly version: string;
  readonly name: string;
  readonly capabilities: Params;
  /** The least important log line it wants; undefined wants none. */
  readonly logLevel: LogLevel | undefined;
}

/** A client that shook no hands: a plain JSON-RPC POST. */
export const plainClient: Client = { version: latestLegacy, name: "unknown", capabilities: {}, logLevel: undefined };

/** Whether a request says itself which revision it speaks. */
export function isModern(params: Params): boolean {
  const meta = params["_meta"];
  return isObject(meta) && metaKey.protocolVersion in meta;
}

/** Reads what a modern request says of its client. */
export function modernClient(meta: unknown): Client | RpcFault {
  if (!isObject(meta)) return malformed("_meta");
  const version = meta[metaKey.protocolVersion];
  if (typeof version !== "string") return malformed(metaKey.protocolVersion);
  const capabilities = meta[metaKey.clientCapabilities];
  if (!isObject(capabilities)) return malformed(metaKey.clientCapabilities);
  const level = meta[metaKey.logLevel];
  if (level !== undefined && !isLogLevel(level)) return malformed(metaKey.logLevel);
  if (version !== modernVersion) return unsupportedVersion(version);
  return { version, name: clientName(meta[metaKey.clientInfo]), capabilities, logLevel: level };
}

export function isFault(found: Client | RpcFault): found is RpcFault {
  return "code" in found;
}

export function unsupportedVersion(requested: string): RpcFault {
  const supported = [modernVersion, ...legacyVersions];
  const message = `Unsupported protocol version: ${requested.slice(0, 64)}`;
  return { code: rpcCode.unsupportedVersion, message, data: { supported, requested }, status: 400 };
}

export function clientName(info: unknown): string {
  return isObject(info) && typeof info["name"] === "string" ? info["name"] : "unknown";
}

export function isLogLevel(level: unknown): level is LogLevel {
  return (logLevels as readonly unknown[]).includes(level);
}

export function canAnswer({ capabilities }: Client, kind: Question["kind"]): boolean {
  const { elicitation, sampling, roots } = capabilities;
  switch (kind) {
    case "form":
      return isObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
    case "link":
      return isObject(elicitation) && "url" in elicitation;
    case "sample":
      return isObject(sampling);
    case "roots":
      return isObject(roots);
  }
}

export function knowsTasks({ capabilities, version }: Client): boolean {
  const { extensions } = capabilities;
  return version === modernVersion && isObject(extensions) && isObject(extensions[tasksExtension]);
}

/** Whether it can show the pages of apps: it says so with every request, or at its handshake. */
export function showsApps({ capabilities: { extensions } }: Client): boolean {
  const apps = isObject(extensions) ? extensions[appsExtension] : undefined;
  return isObject(apps) && Array.isArray(apps["mimeTypes"]) && apps["mimeTypes"].includes(appMimeType);
}

/** The capability a client would need, in the words of the error that says so. */
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
