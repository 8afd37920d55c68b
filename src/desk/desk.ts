import type { Routes } from "../admin/api/router.ts";
import type { Approvals } from "../admin/approvals/approvals.ts";
import type { People } from "../admin/people/people.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Meter } from "../call/meter.ts";
import type { Connections } from "../server/connections.ts";
import type { Store } from "../store/store.ts";
import { CallLog } from "./call-log.ts";
import type { CallLogOptions } from "./call-log.ts";
import type { ModuleState, Overview } from "./contract.ts";
import { EpisodeBook } from "./episode-book.ts";
import { Events } from "./events.ts";
import type { EventOptions } from "./events.ts";
import { FiguresDesk } from "./figures-desk.ts";
import { ApprovalWatch } from "./live-approvals.ts";
import { LiveBus } from "./live-bus.ts";
import type { ScriptRouteParts } from "./script-routes.ts";
import type { Served } from "./served.ts";
import type { SettingsRouteParts } from "./settings-routes.ts";

export interface DeskOptions {
  readonly name: string;
  readonly version: string;
  readonly served: readonly Served[];
  /** Where others reach it, once that is known. */
  readonly url: () => string;
  /** Where apps run, with `{app}` in place of an app's name; left out where they cannot. */
  readonly sandbox?: () => string | null;
  /** How a desktop host starts it. */
  readonly command?: Overview["command"];
  readonly approvals?: Approvals;
  readonly audit?: AuditSink | undefined;
  /** The MCP sessions behind the port, once it listens. */
  readonly connections?: () => Connections | undefined;
  /** Where runs are kept. */
  readonly stores?: readonly Store[];
  readonly scripts?: Omit<ScriptRouteParts, "audit">;
  readonly settings?: Omit<SettingsRouteParts, "people">;
  /** Where a module is being written: how it stands. Changes are published as `module`. */
  readonly module?: (() => ModuleState) | undefined;
  readonly calls?: CallLogOptions;
  readonly events?: EventOptions;
  /** Told of faults that nobody else would hear of. */
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** What people look at: it hears of every call from the start, and loads the rest when the first of them comes. */
export interface Desk extends AsyncDisposable {
  readonly log: CallLog;
  readonly bus: LiveBus;
  /** What each of the served is measured with: `served.govern({ meters: [desk.meterOf(served)] })`. */
  meterOf(served: Served): Meter;
  /** For `peopleApi({ routes })`. */
  routes(people: People): Promise<Routes>;
  /** How many follow what happens. */
  readers(): number;
  close(): Promise<void>;
}

export function openDesk(options: DeskOptions): Desk {
  const { served, approvals, connections = () => undefined } = options;
  const log = new CallLog(options.calls);
  const bus = new LiveBus(options.events);
  const onMove = (id: string) => bus.publish("episodes", { changed: [id] });
  const book = new EpisodeBook({ served, calls: log });
  log.onCall(({ episode }) => {
    if (episode !== undefined) onMove(episode);
  });
  const sessions = () => Array.from(connections()?.connections() ?? []).length;
  const figures = new FiguresDesk({ log, served, sessions, ...(approvals && { approvals }) });
  const { module } = options;
  const sources = { log, bus, figures, approvals: new ApprovalWatch(approvals, bus), module };
  const events = new Events(sources, options.events);
  const startedAt = new Date();
  const rooms: AsyncDisposable[] = [];
  const close = async () => {
    events.close();
    bus.close();
    book[Symbol.dispose]();
    for (const room of rooms.splice(0)) await room[Symbol.asyncDispose]();
  };
  return {
    log,
    bus,
    meterOf: ({ name }) => log.meterOf(name),
    routes: async (people) => {
      const { DeskRoutes } = await import("./desk-routes.ts");
      const room = new DeskRoutes({ ...options, connections, log, bus, book, figures, events, startedAt, onMove });
      rooms.push(room);
      return room.routes(people);
    },
    readers: () => events.readers,
    close,
    [Symbol.asyncDispose]: close,
  };
}
