import type { JSX } from "preact";
import type { ActiveRollout as Rollout } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Card } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { traceHref } from "../episodes/episode-lineage.tsx";
import { Reward } from "../episodes/reward.tsx";
import { RolloutName } from "./rollout-name.tsx";

/** The oldest running rollouts, which are the most likely to hang. */
export function RunningRollouts(props: {
  readonly rollouts: readonly Rollout[];
  readonly repetitions: number;
}): JSX.Element | null {
  const { rollouts, repetitions } = props;
  if (rollouts.length === 0) return null;
  return (
    <Card title="In progress" isFlush>
      <Table
        label="Rollouts in progress"
        list={{ items: rollouts.slice(0, maxShown) }}
        keyOf={({ index, repetition }) => `${index}/${repetition}`}
        hrefOf={({ id }) => traceHref(id)}
        columns={columnsFor(repetitions)}
      />
      {rollouts.length > maxShown && <p class="muted small run-more">and {count(rollouts.length - maxShown)} more</p>}
    </Card>
  );
}

const maxShown = 5;

const columnsFor = (repetitions: number): readonly Column<Rollout>[] => [
  { title: "Rollout", cell: (rollout) => <RolloutName rollout={rollout} repetitions={repetitions} /> },
  { title: "Reward so far", cell: ({ reward }) => <Reward value={reward} />, width: "8rem", align: "end" },
  { title: "Steps", cell: ({ steps }) => count(steps), width: "5rem", align: "end" },
  { title: "Started", cell: ({ startedAt }) => <Time at={startedAt} />, width: "7rem", align: "end", isWide: true },
];
