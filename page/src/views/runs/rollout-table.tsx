import type { JSX } from "preact";
import type { ShownTrace } from "../../../../src/desk/contract.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { count } from "../../format.ts";
import type { Pages } from "../../pages.ts";
import { href, setQuery } from "../../router.ts";
import { Reward } from "../episodes/reward.tsx";
import { memo } from "../../components/memo.ts";
import { PickBox } from "./picks.tsx";
import { ReasonBadge } from "./reasons.tsx";
import { RolloutName } from "./rollout-name.tsx";

interface RolloutTableProps extends Omit<Pages<ShownTrace>, "change"> {
  readonly run: string;
  readonly hasFailed: boolean;
  readonly isPlayed: boolean;
  readonly isFiltered: boolean;
}

/** Rollouts as rows. A question whose answer is on its way does not draw them again. */
export const RolloutTable = memo((props: RolloutTableProps) => (
  <Table
    label="Rollouts"
    list={props}
    keyOf={byPlace}
    hrefOf={({ id }) => href("runs", [props.run, id])}
    columns={props.hasFailed ? columns : columns.filter(({ title }) => title !== "Message")}
    empty={<NoRollouts {...props} />}
  />
));

/** Another order or filter is other words in the same rows: that costs less than other rows. */
const byPlace = (_: ShownTrace, at: number) => String(at);

function NoRollouts({ isFiltered, isPlayed }: RolloutTableProps): JSX.Element {
  if (isFiltered)
    return (
      <Empty title="No rollout fits" icon="runs">
        <Button size="small" onClick={() => setQuery(noFilters)}>
          Show all rollouts
        </Button>
      </Empty>
    );
  return (
    <Empty title="No rollout is over yet" icon="runs">
      {isPlayed ? "The first one shows up when it ends." : "The run ended before any of them did."}
    </Empty>
  );
}

export const noFilters = { reason: undefined, least: undefined, most: undefined, below: undefined, query: undefined };

const columns: readonly Column<ShownTrace>[] = [
  {
    title: "Rollout",
    cell: (trace) => (
      <RolloutName rollout={trace}>
        <span class="run-phone-only">
          <ReasonBadge reason={trace.reason} />
        </span>
      </RolloutName>
    ),
  },
  { title: "Reward", cell: ({ reward }) => <Reward value={reward} />, width: "5.5rem", align: "end" },
  { title: "Steps", cell: ({ steps }) => count(steps), width: "5rem", align: "end", isWide: true },
  { title: "Ended", cell: ({ reason }) => <ReasonBadge reason={reason} />, width: "11rem", isWide: true },
  {
    title: "Message",
    cell: ({ message }) =>
      message === null ? <span class="muted">–</span> : <Text value={message} most={160} isFixed />,
    isWide: true,
  },
  { title: "Took", cell: ({ durationMs }) => <Duration ms={durationMs} />, width: "6rem", align: "end", isWide: true },
  { title: "Compare", cell: (trace) => <PickBox trace={trace} />, width: "6rem", align: "end" },
];
