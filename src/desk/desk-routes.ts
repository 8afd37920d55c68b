import type { Routes } from "../admin/api/router.ts";
import type { People } from "../admin/people/people.ts";
import type { Connections } from "../server/connections.ts";
import type { CallLog } from "./call-log.ts";
import { callRoutes } from "./call-routes.ts";
import { connectionRoutes } from "./connection-routes.ts";
import type { DeskOptions } from "./desk.ts";
import type { EpisodeBook } from "./episode-book.ts";
import { episodeNews } from "./episode-news.ts";
import { episodeRoutes } from "./episode-routes.ts";
import type { Events } from "./events.ts";
import type { FiguresDesk } from "./figures-desk.ts";
import type { LiveBus } from "./live-bus.ts";
import { overviewRoutes } from "./overview.ts";
import { resourceRoutes } from "./resource.ts";
import { runNews } from "./run-news.ts";
import { RunRoom } from "./run-room.ts";
import { runRoutes } from "./run-routes.ts";
import { scriptRoutes } from "./script-routes.ts";
import { settingsRoutes } from "./settings-routes.ts";
import { toolRoutes } from "./tools.ts";
import { Wires } from "./ways/wires.ts";

export interface DeskParts extends Omit<DeskOptions, "calls" | "events"> {
  readonly connections: () => Connections | undefined;
  readonly log: CallLog;
  readonly bus: LiveBus;
  readonly book: EpisodeBook;
  readonly figures: FiguresDesk;
  readonly events: Events;
  readonly startedAt: Date;
  readonly onMove: (id: string) => void;
}

/** Every route of the desk, with what only they need. */
export class DeskRoutes implements AsyncDisposable {
  readonly #parts: DeskParts;
  readonly #wires = new Wires();
  readonly #room: RunRoom;
  readonly #news: readonly Disposable[];

  constructor(parts: DeskParts) {
    const { bus, book, stores = [], onFault } = parts;
    this.#parts = parts;
    this.#room = new RunRoom({ stores, onChange: (changed) => bus.publish("runs", { changed }) });
    this.#news = [episodeNews(book, bus), runNews(this.#room, bus, { ...(onFault && { onFault }) })];
  }

  routes(people: People): Routes {
    const { served, log, book, events, connections, audit, onMove: onChange } = this.#parts;
    return {
      ...overviewRoutes(this.#parts),
      ...toolRoutes(served),
      ...callRoutes({ served, log, wires: this.#wires }),
      ...resourceRoutes(served),
      ...events.routes(),
      ...episodeRoutes({ book, onChange, audit }),
      ...runRoutes({ room: this.#room, book, onChange, audit }),
      ...connectionRoutes({ connections, audit }),
      ...scriptRoutes({ ...this.#parts.scripts, audit }),
      ...settingsRoutes({ ...this.#parts.settings, people }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#news) each[Symbol.dispose]();
    await this.#wires.close();
  }
}
