import type { ResetOptions, Snapshot } from "@biplane/core/client";
import type { Connector } from "@biplane/core/internal";

/** The starts of groups: rollouts of a group begin from one snapshot, taken before its first step. */
export class GroupStarts {
  readonly #connector: Connector;
  readonly #snapshots = new Map<number, Promise<Snapshot>>();

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** The snapshot of a group. The first rollout of the group starts the episode for it. */
  snapshotOf(group: number, reset: ResetOptions): Promise<Snapshot> {
    const known = this.#snapshots.get(group);
    if (known) return known;
    const taken = this.#take(reset);
    this.#snapshots.set(group, taken);
    taken.catch(() => this.#snapshots.delete(group)); // the next rollout tries again
    return taken;
  }

  async #take(reset: ResetOptions): Promise<Snapshot> {
    const client = this.#connector.open();
    try {
      await client.reset(reset);
      return await client.snapshot();
    } finally {
      await client.close();
    }
  }
}
