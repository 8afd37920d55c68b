import type { ApiRoutes } from "./http/routes.ts";
import type { People } from "../governance/people/people.ts";
import type { Connections } from "@biplane/core/internal";
import type { CallHistory } from "./calls/call-history.ts";
import type { CallLog } from "./calls/call-log.ts";
import { callRoutes } from "./calls/call-routes.ts";
import type { CallStatistics } from "./calls/call-statistics.ts";
import { StatisticsReader } from "./calls/statistics-reader.ts";
import { approvalCallRoutes } from "./governance/approval-routes.ts";
import { connectionRoutes } from "./overview/connection-routes.ts";
import type { AdminApiOptions } from "./admin-api.ts";
import type { EpisodeList } from "./episodes/episode-list.ts";
import { episodeEvents } from "./episodes/episode-events.ts";
import { episodeRoutes } from "./episodes/episode-routes.ts";
import type { Events } from "./events/events.ts";
import { fleetRoutes } from "./fleet/fleet-routes.ts";
import type { LiveStats } from "./overview/live-stats.ts";
import type { LiveBus } from "./events/live-bus.ts";
import type { StatelessClients } from "./overview/stateless-clients.ts";
import { policyRoutes } from "./governance/policy-routes.ts";
import { overviewRoutes } from "./overview/overview.ts";
import { resourceRoutes } from "./overview/resource-routes.ts";
import { runEvents } from "./runs/run-events.ts";
import { RunRepository } from "./runs/run-repository.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { traceRoutes } from "./runs/trace-routes.ts";
import { scriptRoutes } from "./scripts/script-routes.ts";
import { searchRoutes } from "./search/search-routes.ts";
import { settingsRoutes } from "./settings/settings-routes.ts";
import { toolRoutes } from "./overview/tool-routes.ts";
import { ViaTransports } from "./try-call/transports.ts";

export interface AdminRouteParts extends Omit<AdminApiOptions, "calls" | "events"> {
  readonly connections: () => Connections | undefined;
  readonly log: CallLog;
  readonly history: CallHistory | undefined;
  readonly statistics: CallStatistics | undefined;
  readonly clients: StatelessClients;
  readonly bus: LiveBus;
  readonly episodes: EpisodeList;
  readonly figures: LiveStats;
  readonly events: Events;
  readonly startedAt: Date;
  readonly onMove: (id: string) => void;
}

/** All routes of the admin API, with the resources that only they need. */
export class AdminRoutes implements AsyncDisposable {
  readonly #parts: AdminRouteParts;
  readonly #transports = new ViaTransports();
  readonly #runs: RunRepository;
  readonly #watchers: readonly Disposable[];

  constructor(parts: AdminRouteParts) {
    const { bus, episodes: book, stores = [], onFault } = parts;
    this.#parts = parts;
    this.#runs = new RunRepository(stores);
    this.#watchers = [episodeEvents(book, bus), runEvents(this.#runs, bus, { ...(onFault && { onFault }) })];
  }

  routes(people: People): ApiRoutes {
    const { served, log, history, episodes: book, events, connections, audit, onMove: onChange } = this.#parts;
    const { statistics: counts, statisticsStore: store, clients, approvals, policies } = this.#parts;
    const statistics = counts && store && new StatisticsReader({ store, statistics: counts });
    return {
      ...overviewRoutes(this.#parts),
      ...toolRoutes(served),
      ...callRoutes({ served, log, history, statistics, transports: this.#transports }),
      ...approvalCallRoutes(this.#parts),
      ...(policies && policyRoutes({ policies, served, log, history })),
      ...resourceRoutes(served),
      ...events.routes(),
      ...episodeRoutes({ episodes: book, onChange, audit }),
      ...runRoutes({ runs: this.#runs, audit }),
      ...traceRoutes({ runs: this.#runs, episodes: book, onChange, audit }),
      ...connectionRoutes({ connections, clients, audit }),
      ...fleetRoutes(this.#parts),
      ...searchRoutes({
        served,
        log,
        history,
        episodes: book,
        stores: this.#parts.stores ?? [],
        approvals,
        audit: this.#parts.auditLog,
      }),
      ...scriptRoutes({ ...this.#parts.scripts, audit }),
      ...settingsRoutes({ ...this.#parts.settings, people }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#watchers) each[Symbol.dispose]();
    await this.#transports.close();
  }
}
