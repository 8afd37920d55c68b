import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { useEvents } from "../../events.ts";
import { useResource } from "../../resource.ts";
import { setQuery } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { useThrottled } from "../episodes/live-list.ts";

/** Search and filters of the list of runs. They are in the address, so that a view can be shared. */
export function RunFilterBar(props: {
  readonly filters: Readonly<Record<"query" | "status" | "target" | "model" | "tag", string>>;
  readonly order: string;
  readonly isFiltered: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { filters, order, isFiltered, children } = props;
  const filterValues = useResource("/api/run-filters", {}, { isCached: true });
  useEvents("runs", useThrottled(filterValues.reload, 2000));
  const known = filterValues.data;
  const isWide = useIsWide(960);
  const [isOpen, setOpen] = useState(false);
  const areAllShown = isWide || isOpen;
  const filter = (name: keyof typeof filters, values: readonly string[], all: string) =>
    (areAllShown || filters[name] !== "") && <Filter name={name} value={filters[name]} values={values} all={all} />;
  return (
    <div class="toolbar run-toolbar">
      <Search label="Search runs" value={filters.query} onInput={(text) => setQuery({ query: text })} />
      {!isWide && (
        <Button isPressed={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters
        </Button>
      )}
      {!isWide && (isOpen || order !== "-started") && (
        <FilterSelect label="Order" name="order" preset="-started" value={order} choices={orders} />
      )}
      {filter("status", statuses, "All statuses")}
      {filter("target", known?.targets ?? [], "All targets")}
      {filter("model", known?.models ?? [], "All models")}
      {filter("tag", known?.tags ?? [], "All tags")}
      {isFiltered && (
        <Button kind="quiet" icon="close" onClick={() => setQuery(noRunFilters)}>
          Clear filters
        </Button>
      )}
      {children}
    </div>
  );
}

export const noRunFilters = {
  query: undefined,
  status: undefined,
  target: undefined,
  model: undefined,
  tag: undefined,
};

const statuses = ["running", "finished", "failed", "cancelled", "interrupted"];

/** Headings sort on wide screens; narrow ones show few of them. */
const orders = [
  { value: "-started", title: "Newest first" },
  { value: "-reward", title: "Highest reward first" },
  { value: "-pass", title: "Highest pass rate first" },
  { value: "-score", title: "Highest score first" },
  { value: "-cost", title: "Most expensive first" },
  { value: "-tokens", title: "Most tokens first" },
  { value: "-failed", title: "Most failures first" },
  { value: "-duration", title: "Slowest first" },
  { value: "name", title: "By name" },
  { value: "model", title: "By model" },
];

/** Nothing to choose from, nothing to show. */
function Filter(props: {
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly all: string;
}): JSX.Element | null {
  const { name, value, values, all } = props;
  const choices = value === "" || values.includes(value) ? values : [value, ...values];
  if (choices.length === 0) return null;
  return (
    <FilterSelect
      label={all.replace("All ", "Filter by ")}
      name={name}
      value={value}
      choices={[{ value: "", title: all }, ...choices.map((each) => ({ value: each, title: each.slice(0, 60) }))]}
    />
  );
}
