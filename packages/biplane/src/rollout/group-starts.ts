import type { ResetOptions, Snapshot } from "@biplane/core/client";
import type { Connector } from "@biplane/core/internal";

/** The snapshot from which the rollouts of a group begin. The first one of the group starts the episode for it. */
export type SnapshotOfGroup = (group: number, reset: ResetOptions) => Promise<Snapshot>;

/** Takes one snapshot for each group, before its first step. */
export function groupStarts(connector: Connector): SnapshotOfGroup {
  const snapshots = new Map<number, Promise<Snapshot>>();
  const take = async (reset: ResetOptions) => {
    const client = connector.open();
    try {
      await client.reset(reset);
      return await client.snapshot();
    } finally {
      await client.close();
    }
  };
  return (group, reset) => {
    const known = snapshots.get(group);
    if (known) return known;
    const taken = take(reset);
    snapshots.set(group, taken);
    taken.catch(() => snapshots.delete(group)); // the next rollout tries again
    return taken;
  };
}
