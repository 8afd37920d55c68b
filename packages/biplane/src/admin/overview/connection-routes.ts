import { newestFirstKey, paginate } from "../http/input.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { personEntry } from "../../governance/audit/person-entry.ts";
import type { AdminParts } from "../admin-parts.ts";
import type { ConnectionInfo } from "@biplane/core/internal";
import { connectionOperations } from "./connection-api.ts";
import type { ClientSummary, ConnectionSummary } from "./connection-api.ts";
import type { StatelessClient } from "./stateless-clients.ts";

/** Lists and closes MCP sessions. */
export function connectionRoutes({ connections, clients, audit }: AdminParts): ApiRoutes {
  return routesOf(connectionOperations, {
    "GET /api/connections": ({ query }) => {
      const { server, client, principal } = query;
      const open = [...(connections()?.connections() ?? [])].filter(
        (each) =>
          (server === undefined || each.server === server) &&
          (client === undefined || each.client === client) &&
          (principal === undefined || each.principal.id === principal),
      );
      const { page, next } = paginate(open, ({ openedAt, id }) => newestFirstKey(openedAt, id), query);
      return { connections: page.map(shown), next };
    },
    "GET /api/clients": ({ query }) => {
      const { server, principal } = query;
      const found = clients
        .list()
        .filter(
          (each) =>
            (server === undefined || each.server === server) &&
            (principal === undefined || each.principal.id === principal),
        );
      const { page, next } = paginate(found, ({ lastAt, id }) => newestFirstKey(lastAt, id), query);
      return { clients: page.map(shownClient), next };
    },
    "DELETE /api/connections/:id": async ({ by, parameters: { id } }) => {
      mustExist(connections()?.close(id), "There is no such connection. It may have ended already.");
      await audit?.record(personEntry("connections/close", { input: { id }, by }));
    },
  });
}

function shown({ openedAt, lastUsedAt, episode, client, ...rest }: ConnectionInfo): ConnectionSummary {
  return {
    ...rest,
    client: client.slice(0, maxNameLength),
    openedAt: new Date(openedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    episode: episode ?? null,
  };
}

function shownClient({ firstAt, lastAt, model, count, ...rest }: StatelessClient): ClientSummary {
  return {
    ...rest,
    ...count.counts(),
    ...(model !== undefined && { model }),
    firstSeenAt: new Date(firstAt).toISOString(),
    lastSeenAt: new Date(lastAt).toISOString(),
  };
}

/** Clients choose their own name. */
const maxNameLength = 200;
