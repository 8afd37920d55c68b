import type { IncomingMessage } from "node:http";
import { callerOf } from "../../call/caller-of.ts";
import { isEpisodeId } from "../../environment/episode-id.ts";
import { isRecord } from "../../is-record.ts";
import { metaKey } from "../../protocol/protocol.ts";
import type { Principal } from "../../tool/call.ts";
import { decodeUri } from "../../decode-uri.ts";
import { trainerSession } from "./trainer-session.ts";

/** What a request may name an episode by. */
export interface NamingRequest {
  readonly request: IncomingMessage;
  /** Within the server. */
  readonly path: string;
  readonly principal: Principal;
  /** Parses the body. Undefined if it is not JSON. */
  readonly body: () => unknown;
}

/** The name of the episode that a request is about. Undefined if any process can serve the request. */
export function nameInRequest(naming: NamingRequest): string | undefined {
  const { request, path, principal } = naming;
  const { headers, url = "" } = request;
  const [, inPath] = /^\/(?:e|control\/episodes)\/([^/]+)/.exec(path) ?? [];
  if (inPath !== undefined) return ownName(decodeUri(inPath) ?? inPath, principal);
  const inQuery = new URLSearchParams(url.split("?")[1] ?? "");
  const body = naming.body();
  const parts = isRecord(body) ? body : {};
  const params = isRecord(parts["params"]) ? parts["params"] : {};
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  const candidates = [
    trainerSession(request, path, body),
    params["session_id"],
    meta[metaKey.episode],
    parts["episode_id"],
    parts["episode"],
    path === "/control/episodes" ? (parts["id"] ?? parts["label"]) : undefined,
    inQuery.get("episode_id") ?? inQuery.get("session_id"),
    headers["x-episode-id"],
    headers["mcp-session-id"],
    sessionIdOf(parts["method"], params),
  ];
  const name = candidates.find((each) => typeof each === "string" && each !== "");
  if (typeof name === "string") return ownName(name, principal);
  return isOfCaller(path, parts["method"]) ? `caller ${callerOf(principal)}` : undefined;
}

/** The session of a request to a server without episodes. */
export function sessionInRequest({ request, principal }: NamingRequest): string | undefined {
  const id = request.headers["mcp-session-id"];
  return typeof id === "string" ? ownName(id, principal) : undefined;
}

/** An id that we made is enough by itself. What a caller chose stands only for something of that caller. */
function ownName(name: string, principal: Principal): string | undefined {
  if (isEpisodeId(name)) return name;
  // Postgres refuses NUL.
  return name.includes("\0") ? undefined : `name of ${callerOf(principal)}: ${name.slice(0, maxLength)}`;
}

/** Eval Protocol's client chooses the id of its session when it connects. */
function sessionIdOf(method: unknown, { clientInfo }: Readonly<Record<string, unknown>>): unknown {
  if (method !== "initialize" || !isRecord(clientInfo)) return undefined;
  const { _extra: extra } = clientInfo;
  return (isRecord(extra) ? extra : clientInfo)["session_id"];
}

/** True if the request is about the episode that its caller has without naming it. */
function isOfCaller(path: string, method: unknown): boolean {
  switch (path) {
    case "/step":
    case "/reset":
    case "/state":
    case "/mcp/execute":
      return true;
    case "/mcp":
    case "/mcp/":
      return method === "tools/call" || method === "resources/read";
    default:
      return false;
  }
}

const maxLength = 256;
