import { connectionId } from "../../server/connections.ts";
import type { ConnectionInfo, Connections } from "../../server/connections.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpSession } from "./session.ts";

/** The sessions of all endpoints. Clients of the modern era are stateless and do not appear. */
export function connectionsOf(endpoints: readonly Endpoint[]): Connections {
  return {
    *connections() {
      for (const endpoint of endpoints) for (const session of endpoint.sessions) yield describe(endpoint, session);
    },
    close(id) {
      for (const { sessions } of endpoints)
        for (const session of sessions) {
          if (connectionId(session.id) !== id) continue;
          session.disconnect();
          return true;
        }
      return false;
    },
  };
}

function describe({ server, resolver }: Endpoint, session: McpSession): ConnectionInfo {
  const { id, client, principal, openedAt, lastUsedAt } = session;
  return {
    id: connectionId(id),
    server: server.name,
    client: client.name,
    version: client.version,
    principal: { kind: principal.kind, id: principal.id },
    openedAt,
    lastUsedAt,
    episode: resolver?.episodeOf(session),
  };
}
