import type { ValueOf } from "@biplane/core/internal";
import { described, named, object, orNull, text, time } from "../../schema/builders.ts";
import { caller, route } from "../calls/call-api.ts";
import { outcomeCounts } from "../calls/statistics-api.ts";
import { filteredPage, pageOf } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const ConnectionSummary = named(
  "ConnectionSummary",
  object({
    id: described("Public id of the MCP session. The session id itself is a credential", text),
    server: text,
    client: text,
    version: described("MCP protocol version", text),
    principal: caller,
    openedAt: time,
    lastUsedAt: time,
    episode: orNull(text),
  }),
);
export type ConnectionSummary = ValueOf<typeof ConnectionSummary>;

const ClientSummary = named(
  "ClientSummary",
  object(
    {
      id: text,
      server: text,
      agent: text,
      principal: caller,
      route,
      firstSeenAt: time,
      lastSeenAt: time,
      ...outcomeCounts,
    },
    { model: text },
  ),
);
export type ClientSummary = ValueOf<typeof ClientSummary>;

export const connectionOperations = {
  "GET /api/connections": {
    scope: "connections",
    summary: "open MCP sessions, newest first",
    query: filteredPage({ server: text, client: text, principal: text }),
    response: pageOf("connections", ConnectionSummary),
  },
  "GET /api/clients": {
    scope: "connections",
    summary: "identities that call without an MCP session, such as MCP 2026-07-28 clients, most recent first",
    query: filteredPage({ server: text, principal: text }),
    response: pageOf("clients", ClientSummary),
  },
  "DELETE /api/connections/:id": { scope: "connections", summary: "close an MCP session" },
} as const satisfies Operations;
