import type { Connections } from "@biplane/core/internal";
import type { AdminApiOptions } from "./admin-api.ts";
import type { CallHistory } from "./calls/call-history.ts";
import type { CallLog } from "./calls/call-log.ts";
import type { StatisticsReader } from "./calls/statistics-reader.ts";
import type { EpisodeList } from "./episodes/episode-list.ts";
import type { Events } from "./events/events.ts";
import type { LiveStats } from "./overview/live-stats.ts";
import type { StatelessClients } from "./overview/stateless-clients.ts";
import type { RunRepository } from "./runs/run-repository.ts";
import type { ViaTransports } from "./try-call/transports.ts";

/** What the routes of the admin API share. */
export interface AdminParts extends Omit<AdminApiOptions, "calls" | "events"> {
  /** The open sessions; undefined until the server listens. */
  readonly connections: () => Connections | undefined;
  readonly log: CallLog;
  /** The stored calls. Without a store, only the most recent ones are in memory. */
  readonly history: CallHistory | undefined;
  readonly statistics: StatisticsReader | undefined;
  readonly clients: StatelessClients;
  readonly episodes: EpisodeList;
  readonly figures: LiveStats;
  readonly events: Events;
  readonly startedAt: Date;
  /** Called for episodes that people start and end. */
  readonly onMove: (id: string) => void;
  readonly runs: RunRepository;
  readonly transports: ViaTransports;
}
