import { connectionId } from "../../server/connections.ts";
import type { Connection, Connections } from "../../server/connections.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Session } from "./session.ts";

/** The sessions of all endpoints of a house. Requests of the newer era belong to none, so they do not show here. */
export function connectionsOf(endpoints: readonly Endpoint[]): Connections {
  return {
    *connections() {
      for (const endpoint of endpoints) for (const session of endpoint.sessions) yield shown(endpoint, session);
    },
    close(id) {
      for (const { sessions } of endpoints)
        for (const session of sessions) {
          if (connectionId(session.id) !== id) continue;
          session.hangUp();
          return true;
        }
      return false;
    },
  };
}

function shown({ server, seating }: Endpoint, session: Session): Connection {
  const { id, client, principal, openedAt, lastUsedAt } = session;
  return {
    id: connectionId(id),
    server: server.name,
    client: client.name,
    version: client.version,
    principal: { kind: principal.kind, id: principal.id },
    openedAt,
    lastUsedAt,
    episode: seating?.episodeOf(session),
  };
}
