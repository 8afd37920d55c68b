import type { JSX } from "preact";
import type { DryRun } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { href } from "../../router.ts";
import { VerdictBadge } from "./verdict-badge.tsx";
import type { PolicyVerdict } from "./verdict-badge.tsx";

/** Which recorded calls a draft decides differently. */
export function DryRunResult(props: { readonly result: DryRun; readonly isOutdated: boolean }): JSX.Element {
  const { result, isOutdated } = props;
  const { calls, cut, before, after, changed, changes, rules } = result;
  return (
    <Card
      title={
        <>
          {changed === 0 ? "No recorded call" : plural(changed, "recorded call")}{" "}
          {changed === 1 ? "is" : changed === 0 ? "is" : "are"} decided differently
        </>
      }
      actions={isOutdated && <Badge tone="warn">of an earlier draft</Badge>}
      isFlush
    >
      <div class="policies-figures">
        {verdicts.map((verdict) => (
          <div key={verdict} class="policies-figure">
            <VerdictBadge verdict={verdict} />
            <span class="num strong">{count(after[verdict])}</span>
            <span class="small muted num">was {count(before[verdict])}</span>
          </div>
        ))}
        <span class="small muted grow end">
          of the last {plural(calls, "call")}
          {cut > 0 && `, ${count(cut)} with incomplete input`}
        </span>
      </div>
      {rules.length > 0 && (
        <ul class="policies-hits" aria-label="Calls that each rule of the draft decides">
          <li class="small muted" aria-hidden="true">
            Decided by
          </li>
          {rules.map(({ rule, hits }) => (
            <li key={rule} class="small">
              <Text value={rule} maxLength={80} isFixed /> <span class="muted num">{plural(hits, "call")}</span>
            </li>
          ))}
        </ul>
      )}
      <Table
        label="Calls that are decided differently"
        list={{ items: changes }}
        keyOf={({ call }) => call.id}
        hrefOf={({ call }) => href("live", [call.id])}
        columns={columns}
        empty={<Empty title={calls === 0 ? "No calls are recorded yet" : "All calls are decided as before"} />}
      />
    </Card>
  );
}

const verdicts: readonly PolicyVerdict[] = ["allow", "ask", "deny"];

const columns: readonly Column<DryRun["changes"][number]>[] = [
  {
    title: "Tool",
    cell: ({ call }) => <Text value={call.tool} maxLength={60} isFixed isMono />,
  },
  {
    title: "Decision",
    cell: ({ before, after }) => (
      <span class="row-tight">
        <VerdictBadge verdict={before} /> → <VerdictBadge verdict={after} />
      </span>
    ),
    width: "10rem",
  },
  {
    title: "Rule",
    cell: ({ rule }) =>
      rule === null ? <span class="muted">no rule</span> : <Text value={rule} maxLength={60} isFixed />,
    isWide: true,
  },
  {
    title: "Caller",
    cell: ({ call: { principal } }) => (
      <>
        {principal.kind} <Text value={principal.id} maxLength={40} isFixed />
      </>
    ),
    isWide: true,
  },
  { title: "When", cell: ({ call }) => <Time at={call.at} />, width: "6.5rem", align: "end" },
];
