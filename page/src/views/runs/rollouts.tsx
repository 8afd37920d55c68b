import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { OpenedRun, ShownTrace } from "../../../../src/desk/contract.ts";
import { segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Input, Search, Select } from "../../components/field.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { usePages } from "../../pages.ts";
import { href, place, setQuery } from "../../router.ts";
import { Reward } from "../episodes/reward.tsx";
import { PickBox, Picked } from "./picks.tsx";
import { ReasonBadge, reasonWords } from "./reasons.tsx";

/** The rollouts of a run, a page at a time, by any of their figures. */
export function Rollouts({ run }: { readonly run: OpenedRun }): JSX.Element {
  const { reason = "", least = "", most = "", below = "", query = "", order = "" } = place.value.query;
  const upper = below === "" ? most : justBelow(Number(below));
  const list = usePages(`/api/runs/${segment(run.id)}/traces`, "traces", { reason, least, most: upper, query, order });
  const isFiltered = [reason, least, most, below, query].some((value) => value !== "");
  const { items, reload } = list;
  // While it is played, the first page keeps up; whoever has gone further is left where he is.
  useEffect(() => {
    if (items.length <= 100) reload();
  }, [run.finished, run.failed]);
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
      <Table
        label="Rollouts"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("runs", [run.id, id])}
        columns={run.failed > 0 ? columns : columns.filter(({ title }) => title !== "Message")}
        empty={
          isFiltered ? (
            <Empty title="No rollout fits" icon="runs">
              <Button size="small" onClick={() => setQuery(noFilters)}>
                Show all rollouts
              </Button>
            </Empty>
          ) : (
            <Empty title="No rollout is over yet" icon="runs">
              {run.status === "running"
                ? "The first one shows up when it ends."
                : "The run ended before any of them did."}
            </Empty>
          )
        }
      />
    </section>
  );
}

const noFilters = { reason: undefined, least: undefined, most: undefined, below: undefined, query: undefined };

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

const columns: readonly Column<ShownTrace>[] = [
  {
    title: "Rollout",
    cell: ({ index, repetition, rowId, reason }) => (
      <span class="run-name">
        <span class="num">
          {count(index)}
          {repetition > 0 && <span class="muted"> · try {repetition + 1}</span>}
        </span>
        <span class="muted">
          <Text value={rowId} most={60} isFixed />
        </span>
        <span class="run-phone-only">
          <ReasonBadge reason={reason} />
        </span>
      </span>
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
  { title: "Pick", cell: (trace) => <PickBox trace={trace} />, width: "3.5rem" },
];

function reasonChoices({ reasons }: OpenedRun, chosen: string): readonly { value: string; title: string }[] {
  const known = Object.keys(reasons).slice(0, 60);
  const all = [...new Set([...(known.some((each) => each.startsWith("error")) ? ["error"] : []), ...known, chosen])];
  return [
    { value: "", title: "However it ended" },
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
