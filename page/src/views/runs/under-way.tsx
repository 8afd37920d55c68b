import type { JSX } from "preact";
import type { UnderWay as Rollout } from "../../../../src/desk/contract.ts";
import { Card } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { Reward } from "../episodes/reward.tsx";
import { RolloutName } from "./rollout-name.tsx";

/** What is being played right now; where there is much of it, the oldest, which are the ones to wonder about. */
export function UnderWay({ rollouts }: { readonly rollouts: readonly Rollout[] }): JSX.Element | null {
  if (rollouts.length === 0) return null;
  return (
    <Card title="Under way" isFlush>
      <Table
        label="Rollouts under way"
        list={{ items: rollouts.slice(0, most) }}
        keyOf={({ index, repetition }) => `${index}/${repetition}`}
        columns={columns}
        empty={null}
      />
      {rollouts.length > most && <p class="muted small run-more">and {count(rollouts.length - most)} more</p>}
    </Card>
  );
}

const most = 5;

const columns: readonly Column<Rollout>[] = [
  { title: "Rollout", cell: (rollout) => <RolloutName rollout={rollout} /> },
  { title: "Reward so far", cell: ({ reward }) => <Reward value={reward} />, width: "8rem", align: "end" },
  { title: "Steps", cell: ({ steps }) => count(steps), width: "5rem", align: "end" },
  { title: "Begun", cell: ({ startedAt }) => <Time at={startedAt} />, width: "7rem", align: "end", isWide: true },
];
