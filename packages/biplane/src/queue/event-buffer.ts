import type { TraceEvent } from "../rollout/trace.ts";
import { RolloutTracker } from "../store/runs/rollout-facts.ts";
import type { WrittenEvent } from "../store/runs/rollouts.ts";

/** Collects the events of one rollout, which are written when it has ended. */
export class EventBuffer {
  readonly events: WrittenEvent[] = [];
  readonly #tracker: RolloutTracker;

  constructor(run: string) {
    this.#tracker = new RolloutTracker(run);
  }

  readonly add = (event: TraceEvent): void => {
    const added = this.#tracker.add(event);
    if (added) this.events.push({ ...added, line: JSON.stringify(event) });
  };
}
