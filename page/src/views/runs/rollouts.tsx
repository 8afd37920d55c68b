import type { JSX } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import type { OpenedRun } from "../../../../src/desk/contract.ts";
import { segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Input, Search, Select } from "../../components/field.tsx";
import { usePages } from "../../pages.ts";
import { place, setQuery } from "../../router.ts";
import { Picked } from "./picks.tsx";
import { reasonWords } from "./reasons.tsx";
import { RolloutTable, noFilters } from "./rollout-table.tsx";
import { useSteady } from "./steady.ts";

/** The rollouts of a run, a page at a time, by any of their figures. */
export function Rollouts(props: {
  readonly id: string;
  /** Undefined while it is on its way: the rows are asked for at the same time. */
  readonly run: OpenedRun | undefined;
}): JSX.Element {
  const { id, run } = props;
  const { reason = "", least = "", most = "", below = "", query = "", order = "" } = place.value.query;
  const upper = below === "" ? most : justBelow(Number(below));
  const wanted = { reason, least, most: upper, query, order, limit: pageRows };
  const list = useSteady(usePages(`/api/runs/${segment(id)}/traces`, "traces", wanted, { isKept: true }));
  const isFiltered = [reason, least, most, below, query].some((value) => value !== "");
  const { items, reload } = list;
  const latest = useRef(list);
  latest.current = list;
  const more = useCallback(() => latest.current.more(), []);
  // While it is played, the first page keeps up; whoever has gone further is left where he is.
  const played = run && `${run.finished} ${run.failed}`;
  const seen = useRef(played);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== played && items.length <= pageRows) reload();
    seen.current = played;
  }, [played]);
  if (!run) return <></>;
  return (
    <section class="stack-tight">
      <h2>Rollouts</h2>
      <div class="toolbar run-filters">
        <Search label="Row, seed or number" value={query} onInput={(text) => setQuery({ query: text })} />
        <Select
          label="How it ended"
          isLabelHidden
          value={reason}
          choices={reasonChoices(run, reason)}
          onChange={(value) => setQuery({ reason: value })}
        />
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
          label="Reward up to"
          isLabelHidden
          type="number"
          step="any"
          placeholder="up to"
          value={most === "" ? below : most}
          onInput={(value) => setQuery({ most: value, below: undefined })}
        />
        <Select
          label="Order"
          isLabelHidden
          value={order}
          choices={orders}
          onChange={(value) => setQuery({ order: value })}
        />
        {isFiltered && (
          <Button kind="quiet" icon="close" onClick={() => setQuery(noFilters)}>
            Clear
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
          hasFailed={run.failed > 0}
          isPlayed={run.status === "running"}
          isFiltered={isFiltered}
        />
      </div>
    </section>
  );
}

/** As many as a few screens hold: more come when somebody wants them. */
const pageRows = 50;

const orders = [
  { value: "", title: "By number" },
  { value: "-index", title: "By number, last first" },
  { value: "-reward", title: "Highest reward first" },
  { value: "reward", title: "Lowest reward first" },
  { value: "-steps", title: "Most steps first" },
  { value: "steps", title: "Fewest steps first" },
  { value: "-duration", title: "Slowest first" },
  { value: "duration", title: "Quickest first" },
];

function reasonChoices({ reasons }: OpenedRun, chosen: string): readonly { value: string; title: string }[] {
  const known = Object.keys(reasons).slice(0, 60);
  const all = [...new Set([...(known.some((each) => each.startsWith("error")) ? ["error"] : []), ...known, chosen])];
  return [
    { value: "", title: "Every ending" },
    ...all.filter((each) => each !== "").map((value) => ({ value, title: titleOf(value) })),
  ];
}

function titleOf(reason: string): string {
  return reason === "error" ? "any error" : reasonWords(reason).slice(0, 80);
}

/** The greatest number below another: a column of the histogram ends where the next one begins. */
function justBelow(value: number): string {
  if (!Number.isFinite(value)) return "";
  return String(value - Math.max(Math.abs(value), 1e-6) * 1e-12);
}
