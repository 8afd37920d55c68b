import type { IncomingMessage } from "node:http";
import { isRecord } from "../../is-record.ts";
import { sessionInCookie } from "../nemo-gym/session-cookie.ts";
import { findOrsRoute } from "../ors/routes.ts";

/** The session of ORS or NeMo Gym that a request may be about. Undefined if any process can serve the request. */
export function trainerSession(request: IncomingMessage, path: string, body: unknown): string | undefined {
  const sid = request.headers["x-session-id"];
  if (isOrsSession(request, path)) return typeof sid === "string" ? `ors ${sid}` : undefined;
  if (!isNemoSession(request, path)) return undefined;
  const named = isRecord(body) ? body["resources_session_id"] : undefined;
  const id = typeof named === "string" ? named : sessionInCookie(request);
  return id === undefined ? undefined : `nemo-gym ${id}`;
}

/** True if a request at this path may be about such a session. */
export function mayHaveSession(request: IncomingMessage, path: string): boolean {
  return isOrsSession(request, path) || isNemoSession(request, path);
}

function isOrsSession(request: IncomingMessage, path: string): boolean {
  return sessionRoutes.has(findOrsRoute(path, request)?.route ?? "") && request.headers["x-session-id"] !== undefined;
}

/** A path of one word is a tool for a client with a session. */
function isNemoSession(request: IncomingMessage, path: string): boolean {
  const [, prefix, name = ""] = /^(\/nemo-gym)?\/([\w-]+)$/.exec(path) ?? [];
  if (/^(?:seed_session|verify|close_session)$/.test(name)) return true;
  const isOther = prefix === undefined && request.headers["x-session-id"] !== undefined;
  return name !== "" && !isOther && sessionInCookie(request) !== undefined;
}

const sessionRoutes: ReadonlySet<string> = new Set([
  "create",
  "ping",
  "delete",
  "delete_session",
  "task_tools",
  "prompt",
  "messages",
  "call",
]);
