import type { People } from "../governance/people/people.ts";
import type { AdminParts } from "./admin-parts.ts";
import { callRoutes } from "./calls/call-routes.ts";
import type { CallStatistics } from "./calls/call-statistics.ts";
import { StatisticsReader } from "./calls/statistics-reader.ts";
import { episodeEvents } from "./episodes/episode-events.ts";
import { episodeRoutes } from "./episodes/episode-routes.ts";
import type { LiveBus } from "./events/live-bus.ts";
import { fleetRoutes } from "./fleet/fleet-routes.ts";
import { approvalCallRoutes } from "./governance/approval-routes.ts";
import { policyRoutes } from "./governance/policy-routes.ts";
import type { ApiRoutes } from "./http/routes.ts";
import { connectionRoutes } from "./overview/connection-routes.ts";
import { overviewRoutes } from "./overview/overview.ts";
import { resourceRoutes } from "./overview/resource-routes.ts";
import { toolRoutes } from "./overview/tool-routes.ts";
import { runEvents } from "./runs/run-events.ts";
import { RunRepository } from "./runs/run-repository.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { traceRoutes } from "./runs/trace-routes.ts";
import { scriptRoutes } from "./scripts/script-routes.ts";
import { searchRoutes } from "./search/search-routes.ts";
import { settingsRoutes } from "./settings/settings-routes.ts";
import { ViaTransports } from "./try-call/transports.ts";

/** The parts that are open before the first request to a route. */
export interface OpenParts extends Omit<AdminParts, "runs" | "transports" | "statistics"> {
  readonly bus: LiveBus;
  readonly statistics: CallStatistics | undefined;
}

/** All routes of the admin API, with the resources that only they need. */
export function openAdminRoutes(
  { bus, statistics, ...open }: OpenParts,
  people: People,
): AsyncDisposable & { readonly routes: ApiRoutes } {
  const { served, stores = [], statisticsStore: store, policies, audit, onFault } = open;
  const transports = new ViaTransports();
  const runs = new RunRepository(stores);
  const episodeWatch = episodeEvents(open.episodes, bus);
  const runWatch = runEvents(runs, bus, { ...(onFault && { onFault }) });
  const reader = statistics && store && new StatisticsReader({ store, statistics });
  const parts: AdminParts = { ...open, runs, transports, statistics: reader };
  return {
    routes: {
      ...overviewRoutes(parts),
      ...toolRoutes(served),
      ...callRoutes(parts),
      ...approvalCallRoutes(parts),
      ...(policies && policyRoutes(policies, parts)),
      ...resourceRoutes(served),
      ...open.events.routes(),
      ...episodeRoutes(parts),
      ...runRoutes(parts),
      ...traceRoutes(parts),
      ...connectionRoutes(parts),
      ...fleetRoutes(parts),
      ...searchRoutes(parts),
      ...scriptRoutes({ ...parts.scripts, audit }),
      ...settingsRoutes({ ...parts.settings, people }),
    },
    async [Symbol.asyncDispose]() {
      episodeWatch[Symbol.dispose]();
      await runWatch[Symbol.asyncDispose]();
      await transports.close();
    },
  };
}
