import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { endingLabel } from "../../../../packages/biplane/src/rollout/ending-label.ts";
import { Button } from "../../components/button.tsx";
import { Input, Search, Select } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { count } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { hasOnlyFailed } from "./all-failed.tsx";
import { Picked } from "./picks.tsx";
import { listQuery } from "./rollout-query.ts";
import { RolloutTable, noFilters } from "./rollout-table.tsx";
import { useKeepPrevious } from "./keep-previous.ts";

/** The rollouts of a run, paged, filtered and sorted. */
export function Rollouts(props: {
  readonly id: string;
  /** Undefined while loading. The rows load at the same time. */
  readonly run: RunDetail | undefined;
}): JSX.Element {
  const { id, run } = props;
  const address = pageLocation.value.query;
  const { reason = "", least = "", most = "", below = "", query = "", order = "" } = address;
  const wanted = { ...listQuery(address), limit: pageRows };
  const list = useKeepPrevious(
    usePagedList("/api/runs/:id/traces", "traces", { id, query: wanted }, { isCached: true }),
  );
  const isFiltered = [reason, least, most, below, query].some((value) => value !== "");
  const { items, reload } = list;
  const latest = useRef(list);
  latest.current = list;
  const more = useCallback(() => latest.current.more(), []);
  // Reload while the run progresses, unless more than one page is loaded.
  const played = run && `${run.finished} ${run.failed}`;
  const seen = useRef(played);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== played && items.length <= pageRows) reload();
    seen.current = played;
  }, [played]);
  const sort = useMemo(() => ({ order: order === "" ? "index" : order, onChange: setOrder }), [order]);
  if (!run) return <></>;
  const hasRewards = run.meanReward !== null || run.status === "running";
  const failing = notPassed(run.pass);
  const isFailing = failing.most === most && failing.below === below && least === "";
  return (
    <section class={`stack-tight run-rollouts ${hasOnlyFailed(run) ? "run-rollouts-narrow" : ""}`}>
      <h2>
        Rollouts <span class="muted num">{numbersOf(run)}</span>
      </h2>
      <div class="toolbar run-filters">
        <Search label="Search row, seed or number" value={query} onInput={(text) => setQuery({ query: text })} />
        {/* Filters with nothing to choose from are left out. A phone shows two of them in each row. */}
        {hasRewards && (
          <>
            <Input
              label="Reward from"
              isLabelHidden
              type="number"
              step="any"
              placeholder="Reward from"
              value={least}
              onInput={(value) => setQuery({ least: value })}
            />
            <Input
              label="Reward to"
              isLabelHidden
              type="number"
              step="any"
              placeholder="Reward to"
              value={most === "" ? below : most}
              onInput={(value) => setQuery({ most: value, below: undefined })}
            />
          </>
        )}
        {(Object.keys(run.reasons).length > 1 || reason !== "") && (
          <FilterSelect label="Ending" name="reason" value={reason} choices={reasonChoices(run, reason)} />
        )}
        {hasRewards && (
          <Button
            isPressed={isFailing}
            onClick={() =>
              setQuery(isFailing ? { most: undefined, below: undefined } : { ...failing, least: undefined })
            }
          >
            Not passed
          </Button>
        )}
        <div class="run-phone-only">
          <Select
            label="Order"
            isLabelHidden
            value={order}
            choices={hasRewards ? orders : orders.filter(({ value }) => !value.endsWith("reward"))}
            onChange={setOrder}
          />
        </div>
        {isFiltered && (
          <Button kind="quiet" icon="close" onClick={() => setQuery(noFilters)}>
            Clear filters
          </Button>
        )}
        <Picked />
      </div>
      <div class={list.isStale ? "run-stale" : undefined} aria-busy={list.isStale}>
        <RolloutTable
          run={id}
          items={items}
          hasMore={list.hasMore}
          isLoading={list.isLoading && items.length === 0}
          isLoadingMore={list.isLoadingMore}
          error={list.error}
          more={more}
          reload={reload}
          hasRewards={hasRewards}
          repetitions={run.repetitions}
          pass={run.pass}
          commonEnding={commonEnding(run.reasons)}
          scoring={run.score?.name}
          isRunning={run.status === "running"}
          isFiltered={isFiltered}
          hasOnlyFailed={hasOnlyFailed(run)}
          sort={sort}
        />
      </div>
    </section>
  );
}

/** `48`, or `17 finished, 1 cancelled`. */
function numbersOf({ finished, summary: { rollouts } }: RunDetail): string {
  return rollouts > finished ? `${count(finished)} finished, ${count(rollouts - finished)} cancelled` : count(rollouts);
}

/** The filter for rollouts that do not pass. */
function notPassed(pass: number | null): { readonly most: string; readonly below: string } {
  return pass === null ? { most: "0", below: "" } : { most: "", below: String(pass) };
}

/** The ending of more than 90% of the rollouts. The table marks only the others. */
function commonEnding(reasons: RunDetail["reasons"]): string | undefined {
  const all = Object.values(reasons).reduce((sum, number) => sum + number, 0);
  return Object.keys(reasons).find((reason) => (reasons[reason] ?? 0) > all * 0.9);
}

function setOrder(order: string): void {
  setQuery({ order: order === "index" ? undefined : order });
}

/** A few screens; `more` loads further rows. */
const pageRows = 50;

const orders = [
  { value: "", title: "By number" },
  { value: "-index", title: "By number, descending" },
  { value: "-reward", title: "Highest reward first" },
  { value: "reward", title: "Lowest reward first" },
  { value: "-steps", title: "Most steps first" },
  { value: "steps", title: "Fewest steps first" },
  { value: "-duration", title: "Slowest first" },
  { value: "duration", title: "Fastest first" },
];

function reasonChoices({ reasons }: RunDetail, chosen: string): readonly { value: string; title: string }[] {
  const known = Object.keys(reasons).slice(0, 60);
  const all = [...new Set([...(known.some((each) => each.startsWith("error")) ? ["error"] : []), ...known, chosen])];
  return [
    { value: "", title: "All endings" },
    ...all.filter((each) => each !== "").map((value) => ({ value, title: titleOf(value) })),
  ];
}

function titleOf(reason: string): string {
  return reason === "error" ? "any error" : endingLabel(reason).slice(0, 80);
}
