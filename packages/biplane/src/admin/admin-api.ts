import type { ApiRoutes } from "./http/routes.ts";
import type { Approvals } from "../governance/approvals/approvals.ts";
import type { People } from "../governance/people/people.ts";
import type { AuditSink, Connections } from "@biplane/core/internal";
import type { Meter, Served } from "@biplane/core";
import type { AuditLog } from "../store/audit-log.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { CallHistory } from "./calls/call-history.ts";
import { CallLog } from "./calls/call-log.ts";
import { CallStatistics } from "./calls/call-statistics.ts";
import type { CallLogOptions } from "./calls/call-log.ts";
import type { ModuleState } from "./events/event-api.ts";
import type { Overview } from "./overview/overview-api.ts";
import { EpisodeList } from "./episodes/episode-list.ts";
import { Events } from "./events/events.ts";
import type { EventOptions } from "./events/events.ts";
import { StatelessClients } from "./overview/stateless-clients.ts";
import { LiveStats } from "./overview/live-stats.ts";
import { ApprovalWatch, LiveBus } from "./events/live-bus.ts";
import type { FleetRouteParts } from "./fleet/fleet-routes.ts";
import type { PolicyParts } from "./governance/policy-routes.ts";
import type { ScriptRouteParts } from "./scripts/script-routes.ts";
import type { SettingsRouteParts } from "./settings/settings-routes.ts";

export interface AdminApiOptions {
  readonly name: string;
  readonly version: string;
  readonly served: readonly Served[];
  /** The public URL, once it is known. */
  readonly url: () => string;
  /** URL template of the app sandbox, with `{app}` for the app's name. Null if apps cannot run. */
  readonly sandbox?: () => string | null;
  /** The command with which a desktop host starts this server. */
  readonly command?: Overview["command"];
  readonly approvals?: Approvals;
  readonly audit?: AuditSink | undefined;
  /** The store with the audit log, for searching. */
  readonly auditLog?: { readonly audit: AuditLog } | undefined;
  /** The open MCP sessions, once the server listens. */
  readonly connections?: () => Connections | undefined;
  /** Stores that contain runs. */
  readonly stores?: readonly SqlStore[];
  /** The other processes on the same database. */
  readonly fleet?: FleetRouteParts["fleet"];
  /** The rules, and how often each decided. */
  readonly policies?: PolicyParts | undefined;
  readonly scripts?: Omit<ScriptRouteParts, "audit">;
  readonly settings?: Omit<SettingsRouteParts, "people">;
  /** Reload state of a module under development. Publish changes as `module`. */
  readonly module?: (() => ModuleState) | undefined;
  readonly calls?: CallLogOptions;
  /** Where calls are stored (default: the most recent ones in memory). */
  readonly callStore?: SqlStore | undefined;
  /** Where calls are counted over time (default: nowhere). */
  readonly statisticsStore?: SqlStore | undefined;
  readonly events?: EventOptions;
  /** Receives faults that no request reports. */
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** The admin API. It observes calls from the start, and loads its routes on the first use. */
export interface AdminApi extends AsyncDisposable {
  readonly log: CallLog;
  readonly bus: LiveBus;
  /** The meter for a server: `server.govern({ meters: [admin.meterOf(server)] })`. */
  meterOf(served: Served): Meter;
  /** For `adminApiHandler({ routes })`. */
  routes(people: People): Promise<ApiRoutes>;
  /** Number of open event streams. */
  readers(): number;
  close(): Promise<void>;
}

export function openAdminApi(options: AdminApiOptions): AdminApi {
  const { served, approvals, connections = () => undefined } = options;
  const log = new CallLog(options.calls);
  const { callStore: store, onFault } = options;
  const history = store && new CallHistory({ store, log, onFault: (fault) => onFault?.(fault, "Storing calls") });
  const statistics =
    options.statisticsStore &&
    new CallStatistics({
      store: options.statisticsStore,
      log,
      onFault: (fault) => onFault?.(fault, "Storing statistics of calls"),
    });
  const clients = new StatelessClients(log);
  const bus = new LiveBus(options.events);
  const onMove = (id: string) => bus.publish("episodes", { changed: [id] });
  const episodes = new EpisodeList({ served, calls: log, onMove });
  const sessions = () => Array.from(connections()?.connections() ?? []).length;
  const figures = new LiveStats({ log, served, sessions, ...(approvals && { approvals }) });
  const { module } = options;
  const sources = { log, bus, figures, approvals: new ApprovalWatch(approvals, bus), module };
  const events = new Events(sources, options.events);
  const startedAt = new Date();
  const opened: AsyncDisposable[] = [];
  const close = async () => {
    events.close();
    bus.close();
    episodes[Symbol.dispose]();
    await history?.close();
    await statistics?.close();
    for (const adminRoutes of opened.splice(0)) await adminRoutes[Symbol.asyncDispose]();
  };
  return {
    log,
    bus,
    meterOf: ({ name }) => log.meterOf(name),
    routes: async (people) => {
      const { openAdminRoutes } = await import("./admin-routes.ts");
      const parts = {
        connections,
        log,
        history,
        statistics,
        clients,
        bus,
        episodes,
        figures,
        events,
        startedAt,
        onMove,
      };
      const adminRoutes = openAdminRoutes({ ...options, ...parts }, people);
      opened.push(adminRoutes);
      return adminRoutes.routes;
    },
    readers: () => events.readers,
    close,
    [Symbol.asyncDispose]: close,
  };
}
