import { found, notFound, nothing } from "../admin/api/answers.ts";
import { pageFrom, pageOf, wanted } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import { personEntry } from "../admin/audit/person-entry.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Connection, Connections } from "../server/connections.ts";
import type { ShownConnection } from "./contract.ts";

export interface ConnectionRouteParts {
  /** What is behind the port; undefined as long as it does not listen. */
  readonly connections: () => Connections | undefined;
  readonly audit?: AuditSink | undefined;
}

/** The MCP sessions that are open, to look at and to end. */
export function connectionRoutes({ connections, audit }: ConnectionRouteParts): Routes {
  const scope = "connections";
  return {
    "GET /api/connections": {
      scope,
      run: ({ request }) => {
        const { server, client, principal } = wanted(request.query, ["server", "client", "principal"]);
        const open = [...(connections()?.connections() ?? [])].filter(
          (each) =>
            (server === undefined || each.server === server) &&
            (client === undefined || each.client === client) &&
            (principal === undefined || each.principal.id === principal),
        );
        const { page, next } = pageFrom(open, newestFirst, pageOf(request));
        return found({ connections: page.map(shown), next });
      },
    },
    "DELETE /api/connections/:id": {
      scope,
      run: async ({ by, parameters: { id = "" } }) => {
        if (!connections()?.close(id)) return notFound("There is no such connection; it may have ended by itself");
        await audit?.record(personEntry("connections/close", { id }, by));
        return nothing;
      },
    },
  };
}

/** A key that sorts the newest to the top, for pages that stay put while others come and go. */
function newestFirst({ openedAt, id }: Connection): string {
  return `${String(latest - openedAt).padStart(16, "0")}-${id}`;
}

const latest = 8_640_000_000_000_000; // the last moment that a Date can be

function shown({ openedAt, lastUsedAt, episode, client, ...rest }: Connection): ShownConnection {
  return {
    ...rest,
    client: client.slice(0, longestName),
    openedAt: new Date(openedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    episode: episode ?? null,
  };
}

/** A client calls itself what it likes. */
const longestName = 200;
