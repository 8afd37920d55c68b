import type { JSX } from "preact";
import type { AuditCall } from "../../../../packages/biplane/src/governance/audit/write-line.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Badge, Outcome, outcomeLabel, outcomeTone } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { inputPairs, inputValues } from "../../components/input-values.ts";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration } from "../../components/time.tsx";
import { dateTime, moment, plural } from "../../format.ts";
import type { ListItem } from "../../paged-list.ts";
import { PrincipalName } from "../approvals/caller.tsx";
import { RuleBadges } from "../approvals/rule-badges.tsx";
import { decisionWord } from "./decision-word.ts";

export type AuditRow = ListItem<"/api/audit", "lines">;

export const columns: readonly Column<AuditRow>[] = [
  { title: "Call", cell: (line) => <CallCell line={line} />, class: "audit-call" },
  {
    title: "Input",
    cell: (line) =>
      line.kind === "call" && <Text value={inputPairs(jsonOf(line) ?? "")} maxLength={200} isFixed class="muted" />,
    isRoomy: true,
  },
  {
    title: "Agent",
    cell: (line) => line.kind === "call" && <Agent line={line} />,
    width: "11rem",
    isRoomy: true,
  },
  {
    title: "Caller",
    cell: (line) => line.kind === "call" && <PrincipalName principal={line.principal} />,
    width: "9.5rem",
    isWide: true,
  },
  {
    title: "Decision",
    cell: (line) => line.kind === "call" && <Verdict line={line} />,
    under: (line) => line.kind === "call" && <OutcomeText outcome={line.outcome} />,
    class: "audit-decision",
  },
  {
    title: "Rule",
    cell: (line) =>
      line.kind === "call" && ((line.rules ?? []).length > 0 ? <RuleBadges rules={line.rules} /> : <None />),
    width: "11rem",
    isWide: true,
  },
  {
    title: "Outcome",
    cell: (line) => (line.kind === "call" ? <Outcome value={line.outcome} /> : <Badge tone="bad">lost</Badge>),
    width: "9.5rem",
    isWide: true,
  },
  {
    title: "Duration",
    cell: (line) => line.kind === "call" && (line.route === "people" ? <None /> : <CallDuration call={line} />),
    width: "5rem",
    align: "end",
    isWide: true,
  },
  {
    title: "When",
    cell: ({ time }) => (
      <time class="num" dateTime={time} title={moment(time)}>
        {dateTime(time)}
      </time>
    ),
    width: "9rem",
    align: "end",
    isWide: true,
  },
];

function InputValues({ line }: { readonly line: AuditRow & { readonly kind: "call" } }): JSX.Element {
  return <Text value={inputValues(jsonOf(line) ?? null)} maxLength={200} isFixed />;
}

/** The input, for an action without its person, whom the column of the caller names. */
function jsonOf({ route, principal, input }: AuditRow & { readonly kind: "call" }): string | undefined {
  if (route !== "people" || !isRecord(input)) return JSON.stringify(input);
  return JSON.stringify(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== principal.id)));
}

function Agent({ line: { agent, principal } }: { readonly line: AuditRow & { readonly kind: "call" } }): JSX.Element {
  const isPerson = principal.kind === "person" && agent.agentId === principal.id;
  if (agent.agentId === "" || agent.agentId === "unknown" || isPerson) return <None />;
  return (
    <span title={agent.model === undefined ? undefined : `Model ${agent.model.slice(0, 80)}`}>
      <Text value={agent.agentId} maxLength={60} isFixed />
    </span>
  );
}

function OutcomeText({ outcome }: Pick<AuditCall, "outcome">): JSX.Element {
  return <span class={`text-${outcomeTone(outcome)}`}>{outcomeLabel(outcome)}</span>;
}

function None(): JSX.Element {
  return <span class="muted">–</span>;
}

/** What governance decided: nothing on actions of people, and nothing on invalid calls, as their outcome says. */
function Verdict({ line }: { readonly line: AuditRow & { readonly kind: "call" } }): JSX.Element {
  const word = decisionWord(line);
  if (line.route === "people" || word === "invalid") return <None />;
  // Most calls are allowed: only the other decisions stand out.
  if (line.decision === "allowed") return <span class="muted">{word}</span>;
  return (
    <Badge tone={verdictTones[line.decision]} title={line.approvedBy === undefined ? "" : `by ${line.approvedBy}`}>
      {word}
    </Badge>
  );
}

const verdictTones: { readonly [Decision in Exclude<AuditCall["decision"], "allowed">]: Tone } = {
  approved: "good",
  asked: "info",
  rejected: "bad",
  denied: "warn",
  refused: "warn",
};

function CallCell({ line }: { readonly line: AuditRow }): JSX.Element {
  if (line.kind !== "call")
    return <span class="text-bad">{plural(line.count, "entry", "entries")} could not be stored</span>;
  return (
    <>
      <span class="audit-tool">
        <Text value={line.tool} maxLength={80} isFixed isMono />{" "}
        <span class="narrow-only small muted audit-input">
          <InputValues line={line} />
        </span>
      </span>
      <span class="small muted audit-under">
        <span class="num">{timeOfDay(line.time)}</span> · <PrincipalName principal={line.principal} />
      </span>
      {line.message !== undefined && (
        <span class="small muted audit-message">
          <Text value={line.message} maxLength={160} isFixed />
        </span>
      )}
    </>
  );
}

/** `22:23:47`. Phones show the day above the entries of each day. */
function timeOfDay(time: string): string {
  return new Date(time).toLocaleTimeString("en-GB");
}
