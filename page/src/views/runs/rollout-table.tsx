import type { JSX } from "preact";
import type { TraceInfo } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column, TableSort } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { alignedDollars, count, plural, precise } from "../../format.ts";
import type { PagedList } from "../../paged-list.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { Reward } from "../episodes/reward.tsx";
import { memo } from "../../components/memo.ts";
import { PickBox } from "./picks.tsx";
import { EndingBadge } from "./endings.tsx";
import { RolloutName } from "./rollout-name.tsx";
import { listAddress } from "./rollout-query.ts";

interface RolloutTableProps extends Omit<PagedList<TraceInfo>, "change"> {
  readonly run: string;
  readonly hasRewards: boolean;
  readonly repetitions: number;
  /** The least reward with which a rollout passes; null if any above 0 does. */
  readonly pass: number | null;
  /** The ending of almost all rollouts. */
  readonly commonEnding: string | undefined;
  /** The name of the scoring that gave the scores. */
  readonly scoring: string | undefined;
  readonly isRunning: boolean;
  readonly isFiltered: boolean;
  /** No rollout of the run reached its own end. */
  readonly hasOnlyFailed: boolean;
  readonly sort: TableSort;
}

/** Rollouts as rows. Does not re-render while a new filter loads. */
export const RolloutTable = memo((props: RolloutTableProps) => (
  <Table
    label="Rollouts"
    list={props}
    keyOf={byPosition}
    // Not subscribed: rows that stay while a new filter loads belong to the previous one.
    hrefOf={({ id }) => href("runs", [props.run, id], listAddress(pageLocation.peek().query))}
    sort={props.sort}
    columns={columnsFor(props)}
    empty={<NoRollouts {...props} />}
  />
));

/** Columns that would say the same in each row, or nothing, are left out. */
function columnsFor(props: RolloutTableProps): readonly Column<TraceInfo>[] {
  const { commonEnding, items } = props;
  const usual = items.filter(({ reason }) => reason === commonEnding);
  // The few other endings are beside the names of their rollouts.
  const hasEndings = commonEnding === undefined || new Set(usual.map(({ message }) => message)).size > 1;
  const has: Readonly<Record<string, boolean>> = {
    Ending: hasEndings,
    Reward: props.hasRewards,
    Score: props.scoring !== undefined,
    Tokens: items.some(({ tokens }) => tokens > 0),
    Cost: items.some(({ cost }) => cost !== null),
    // Rollouts that failed alike have nothing to compare.
    Compare: !props.hasOnlyFailed || new Set(items.map(({ message }) => message)).size > 1,
    Seed: items.some(({ seed, rowId }) => seed !== null && rowId !== seed && rowId !== `seed_${seed}`),
  };
  return columnsWith(props, hasEndings).filter(({ title }) => has[title] !== false);
}

/** Keys are positions: reusing rows for another order or filter is cheaper than replacing them. */
const byPosition = (_: TraceInfo, at: number) => String(at);

function NoRollouts({ isFiltered, isRunning }: RolloutTableProps): JSX.Element {
  if (isFiltered)
    return (
      <Empty title="No matching rollouts" icon="runs">
        <Button size="small" onClick={() => setQuery(noFilters)}>
          Show all rollouts
        </Button>
      </Empty>
    );
  return (
    <Empty title="No rollout has finished yet" icon="runs">
      {isRunning ? "The first one appears when it ends." : "The run ended before any rollout finished."}
    </Empty>
  );
}

export const noFilters = { reason: undefined, least: undefined, most: undefined, below: undefined, query: undefined };

/** The environment ended the episode. A phone has no space to say so of every rollout. */
const usualEnding = "control_plane_signal";

const columnsWith = (
  { commonEnding, scoring = "", repetitions, pass, items }: RolloutTableProps,
  hasEndings: boolean,
): readonly Column<TraceInfo>[] => {
  const dollarsOf = alignedDollars(items.map(({ cost }) => cost ?? 0));
  return [
    {
      title: "Rollout",
      order: "index",
      cell: (trace) => (
        <>
          <RolloutName rollout={trace} repetitions={repetitions}>
            {trace.reason !== (commonEnding ?? usualEnding) && (
              <span class={hasEndings ? "run-phone-only" : undefined}>
                <EndingBadge reason={trace.reason} isShort />
              </span>
            )}
          </RolloutName>
          {!hasEndings && trace.reason !== commonEnding && messageOf(trace) !== null && (
            <span class="row-under">
              <Text value={messageOf(trace) ?? ""} maxLength={160} isFixed />
            </span>
          )}
        </>
      ),
      under: ({ steps, cost, durationMs, score }) => (
        <span class="row-facts">
          {score !== null && <span>score {precise(score)}</span>}
          <span>{plural(steps, "step")}</span>
          {cost !== null && <span>{dollarsOf(cost)}</span>}
          <Duration ms={durationMs} />
        </span>
      ),
      class: "rollout-column",
    },
    {
      title: "Reward",
      order: "-reward",
      cell: ({ reward }) => (
        <Reward value={reward} isBad={reward !== null && (pass === null ? reward <= 0 : reward < pass)} />
      ),
      width: "min(5.5rem, 17vw)",
      align: "end",
    },
    {
      title: "Score",
      about: `Scoring ${scoring.slice(0, 100)}`,
      cell: ({ score }) => (score === null ? <span class="muted">–</span> : <span class="num">{precise(score)}</span>),
      width: "4.25rem",
      align: "end",
      isWide: true,
    },
    { title: "Steps", order: "-steps", cell: ({ steps }) => count(steps), width: "5rem", align: "end", isWide: true },
    {
      title: "Ending",
      cell: (trace) => (
        <>
          <span class={trace.reason === commonEnding ? "hidden" : undefined}>
            <EndingBadge reason={trace.reason} isShort />
          </span>
          {messageOf(trace) !== null && (
            <span class="row-under rollout-message">
              <Text value={messageOf(trace) ?? ""} maxLength={160} isFixed />
            </span>
          )}
        </>
      ),
      isWide: true,
      class: "ending-column",
    },
    {
      title: "Seed",
      cell: ({ seed }) =>
        seed === null ? <span class="muted">–</span> : <Text value={seed} maxLength={24} isFixed isMono />,
      width: "8rem",
      align: "end",
      isRoomy: true,
    },
    {
      title: "Tokens",
      cell: ({ tokens }) => (tokens === 0 ? <span class="muted">–</span> : count(tokens)),
      width: "5.5rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Cost",
      cell: ({ cost }) => (cost === null ? <span class="muted">–</span> : dollarsOf(cost)),
      width: "6.75rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Duration",
      order: "-duration",
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
      width: "6rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Compare",
      cell: (trace) => trace.steps > 0 && <PickBox trace={trace} />,
      width: "min(6rem, 23vw)",
      align: "end",
    },
  ];
};

/** The label of the ending says all about a rollout that a person cancelled. */
function messageOf({ reason, message }: TraceInfo): string | null {
  return reason === "error: cancelled" ? null : message;
}
