import type { JSX } from "preact";
import type { AuditCall } from "../../../../packages/biplane/src/governance/audit/write-line.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Badge, Outcome } from "../../components/badge.tsx";
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
    width: "10rem",
    isWide: true,
  },
  {
    title: "Rule",
    cell: (line) =>
      line.kind === "call" && ((line.rules ?? []).length > 0 ? <RuleBadges rules={line.rules} /> : <None />),
    width: "10rem",
    isWide: true,
  },
  {
    title: "Result",
    about: "What was decided, and how the call ended if it ran",
    cell: (line) => (line.kind === "call" ? <Result line={line} /> : <Badge tone="bad">lost</Badge>),
    class: "audit-result",
    isWrapped: true,
  },
  {
    title: "Duration",
    cell: (line) => line.kind === "call" && (isAction(line) ? <None /> : <CallDuration call={line} />),
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

function InputValues({ line }: { readonly line: AuditCall }): JSX.Element {
  return <Text value={inputValues(jsonOf(line) ?? null)} maxLength={200} isFixed />;
}

/** The input. For an action, without its person, whom the column of the caller names, and without ids. */
function jsonOf(line: AuditCall): string | undefined {
  const { principal, input } = line;
  if (!isAction(line) || !isRecord(input)) return JSON.stringify(input);
  const isShown = ([key, value]: readonly [string, unknown]) => value !== principal.id && key !== "id" && key !== "ids";
  return JSON.stringify(Object.fromEntries(Object.entries(input).filter(isShown)));
}

/** True for an action of a person, such as `people/add`. Names of tools, which people can call too, have no slash. */
function isAction({ route, tool }: AuditCall): boolean {
  return route === "people" && tool.includes("/");
}

function Agent({ line: { agent, principal } }: { readonly line: AuditCall }): JSX.Element {
  // The page calls tools for the person.
  const isPerson = principal.kind === "person" && [principal.id, "page"].includes(agent.agentId);
  if (agent.agentId === "" || agent.agentId === "unknown" || isPerson) return <None />;
  return (
    <span title={agent.model === undefined ? undefined : `Model ${agent.model.slice(0, 80)}`}>
      <Text value={agent.agentId} maxLength={60} isFixed />
    </span>
  );
}

function None(): JSX.Element {
  return <span class="muted">–</span>;
}

/** One label: what was decided if the call did not run, and its outcome if it did. Most calls ran: others stand out. */
function Result({ line }: { readonly line: AuditCall }): JSX.Element {
  const { decision, outcome, approvedBy } = line;
  if (decision === "allowed" || decisionWord(line) === "invalid")
    return outcome === "done" ? <span class="muted">done</span> : <Outcome value={outcome} />;
  return (
    <>
      <Badge tone={verdictTones[decision]} dot title={approvedBy === undefined ? "" : `by ${approvedBy}`}>
        {decision === "approved" && outcome === "done" ? "approved, done" : decisionWord(line)}
      </Badge>{" "}
      {decision === "approved" && outcome !== "done" && <Outcome value={outcome} />}
    </>
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
          <Text value={shortMessage(line.message)} maxLength={160} isFixed />
        </span>
      )}
    </>
  );
}

/** What a person wants to know of a message to an agent: the question that waits. */
function shortMessage(message: string): string {
  const [, question] =
    /^Approval is needed: (.*) Call again after a person has answered \(approval \w+\)\.$/s.exec(message) ?? [];
  return question === undefined ? message : `Waits for a person: ${question}`;
}

/** `22:23:47`. Phones show the day above the entries of each day. */
function timeOfDay(time: string): string {
  return new Date(time).toLocaleTimeString("en-GB");
}
