import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { routes } from "../../../../packages/core/src/tool/call.ts";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { FilterSelect, ServerSelect } from "../../components/filter-select.tsx";
import { anyOutcome, outcomeChoices } from "../../components/outcome-choices.ts";
import { Text } from "../../components/text.tsx";
import { chosenDuration, moment, relative } from "../../format.ts";
import { setQuery } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";

/** The filter of the call list, stored in the URL. */
export type CallFilter = Readonly<Record<(typeof keys)[number], string>>;

const keys = [
  "server",
  "tool",
  "agent",
  "principal",
  "route",
  "outcome",
  "episode",
  "slower",
  "since",
  "until",
] as const;

export function filterOf(query: Readonly<Record<string, string>>): CallFilter {
  return Object.fromEntries(keys.map((key) => [key, query[key] ?? ""])) as CallFilter;
}

function FilterValue({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  if (name === "since" || name === "until") return <span title={moment(value)}>{relative(value)}</span>;
  return <Text value={value} maxLength={24} isFixed isMono />;
}

function slownessChoices(current: string): readonly { readonly value: string; readonly title: string }[] {
  const presets = ["10", "100", "1000", "10000"];
  // A link may name another limit.
  const values = current === "" || presets.includes(current) ? presets : [...presets, current];
  return [
    { value: "", title: "Any run time" },
    ...values.map((value) => ({ value, title: `${chosenDuration(Number(value))} or slower` })),
  ];
}

export function Filters({ filter }: { readonly filter: CallFilter }): JSX.Element {
  const isWide = useIsWide(960);
  const [isOpen, setOpen] = useState(false);
  // A phone shows the calls first.
  const hasAll = isWide || isOpen || keys.some((key) => filter[key] !== "");
  const others = (["principal", "episode", "since", "until"] as const).filter((key) => filter[key] !== "");
  return (
    <div class="toolbar live-filters">
      <Search label="Tool" value={filter.tool} onInput={(tool) => setQuery({ tool })} />
      {!hasAll && <Button onClick={() => setOpen(true)}>More filters</Button>}
      {hasAll && <MoreFilters filter={filter} />}
      {others.map((key) => (
        <Button key={key} size="small" icon="close" title="Remove this filter" onClick={() => setQuery({ [key]: "" })}>
          {key} <FilterValue name={key} value={filter[key]} />
        </Button>
      ))}
      {keys.some((key) => filter[key] !== "") && (
        <Button kind="quiet" size="small" onClick={() => setQuery(filterOf({}))}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function MoreFilters({ filter }: { readonly filter: CallFilter }): JSX.Element {
  return (
    <>
      <Search label="Agent" value={filter.agent} onInput={(agent) => setQuery({ agent })} />
      <ServerSelect value={filter.server} />
      <FilterSelect
        label="Route"
        name="route"
        value={filter.route}
        choices={[{ value: "", title: "All routes" }, ...routes.map((route) => ({ value: route, title: route }))]}
      />
      <FilterSelect
        label="Outcome"
        name="outcome"
        value={filter.outcome}
        choices={[anyOutcome, { value: "failed", title: "any failure" }, ...outcomeChoices]}
      />
      <FilterSelect label="Run time" name="slower" value={filter.slower} choices={slownessChoices(filter.slower)} />
    </>
  );
}
