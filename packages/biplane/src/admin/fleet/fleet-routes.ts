import { listProcesses } from "../../fleet/processes.ts";
import type { ProcessInfo } from "../../fleet/processes.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { mayRead } from "../openapi/scopes.ts";
import { fleetOperations } from "./fleet-api.ts";
import type { ProcessSummary } from "./fleet-api.ts";

export interface FleetRouteParts {
  /** Undefined if this process is the only one. */
  readonly fleet?: { readonly store: SqlStore; readonly processId: () => string } | undefined;
}

/** Lists the processes on the same database. */
export function fleetRoutes({ fleet }: FleetRouteParts): ApiRoutes {
  return routesOf(fleetOperations, {
    "GET /api/fleet": async ({ by }) => {
      const processes = fleet ? await listProcesses(fleet.store) : [];
      const seesAddress = mayRead(by, "connections") || mayRead(by, "settings");
      return {
        processes: processes.map((each) => {
          const process = shown(each, fleet?.processId());
          return seesAddress ? process : { ...process, address: null };
        }),
      };
    },
  });
}

function shown({ started_at, seen_at, ...process }: ProcessInfo, self: string | undefined): ProcessSummary {
  return {
    ...process,
    isThis: process.id === self,
    startedAt: new Date(started_at).toISOString(),
    seenAt: new Date(seen_at).toISOString(),
  };
}
