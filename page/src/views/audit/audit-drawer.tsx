import type { JSX } from "preact";
import type { AuditCall } from "../../../../packages/biplane/src/governance/audit/write-line.ts";
import { Badge, Outcome } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts } from "../../components/page.tsx";
import type { Fact } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration, Time } from "../../components/time.tsx";
import { moment, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { PrincipalName } from "../approvals/caller.tsx";
import { RuleBadges } from "../approvals/rule-badges.tsx";
import { ShortHash } from "../approvals/short-hash.tsx";
import type { AuditRow } from "./columns.tsx";
import { decisionWord } from "./decision-word.ts";

/** One audit entry, from the list or loaded by its number. */
export function AuditDrawer(props: {
  readonly sequence: string;
  readonly known: AuditRow | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const { sequence, known, onClose } = props;
  const number = /^\d{1,14}$/.test(sequence) ? Number(sequence) : undefined;
  const isWanted = known === undefined && number !== undefined;
  const resource = useResource("/api/audit", isWanted ? { query: { after: number + 1, limit: 1 } } : undefined);
  return (
    <Drawer title={`Entry ${number ?? "?"}`} onClose={onClose}>
      {known ? (
        <Opened line={known} />
      ) : number === undefined ? (
        <NoEntry />
      ) : (
        <Loaded resource={resource}>
          {({ lines: [line] }) => (line?.sequence === number ? <Opened line={line} /> : <NoEntry />)}
        </Loaded>
      )}
    </Drawer>
  );
}

function Opened({ line }: { readonly line: AuditRow }): JSX.Element {
  return (
    <div class="stack">
      {line.kind === "call" ? (
        <CallLine line={line} />
      ) : (
        <p class="text-bad">
          {plural(line.count, "entry", "entries")} could not be stored, the first <Time at={line.time} />.
        </p>
      )}
      <Card title="Hash chain">
        <div class="stack-tight">
          <Facts
            facts={[
              ["Number", <span class="num">{line.sequence}</span>],
              ["This entry", <ShortHash hash={line.hash} what="hash of this entry" />],
              ["Previous entry", <ShortHash hash={line.previous} what="hash of the previous entry" />],
            ]}
          />
          <p class="muted small">
            Each hash covers the entry and the previous hash. <code>biplane audit verify</code> recomputes all of them.
          </p>
        </div>
      </Card>
    </div>
  );
}

function CallLine({ line }: { readonly line: AuditCall }): JSX.Element {
  const { tool, outcome, message, decision, rules, approvedBy, agent, principal, route, episode, session, input } =
    line;
  const facts: readonly (Fact | false)[] = [
    ["Time", moment(line.time)],
    ["Caller", <PrincipalName principal={principal} />],
    agent.agentId !== principal.id && ["Agent (self-reported)", <Text value={agent.agentId} maxLength={120} />],
    agent.model !== undefined && ["Model", <Text value={agent.model} maxLength={120} />],
    ["Route", <Badge>{route}</Badge>],
    ["Duration", <CallDuration call={line} />],
    ["Request", <Text value={line.requestId} maxLength={80} isMono />],
    session !== undefined && ["Session", <Text value={session} maxLength={40} isMono />],
    episode !== undefined && [
      "Episode",
      <a href={href("episodes", [episode])}>
        <Text value={episode} maxLength={40} isMono isFixed />
      </a>,
    ],
  ];
  return (
    <>
      <div class="row">
        <Text value={tool} maxLength={120} isMono class="strong" />
        <Outcome value={outcome} />
      </div>
      <p>
        {route === "people" ? "Action by a person" : decisions[decisionWord(line) === "denied" ? "denied" : decision]}
        {approvedBy !== undefined && (
          <>
            {" "}
            by <Text value={approvedBy} maxLength={120} />
          </>
        )}
        .
      </p>
      {rules && (
        <div class="row">
          <span class="muted">{rules.length === 1 ? "Rule" : "Rules"}</span> <RuleBadges rules={rules} />
        </div>
      )}
      {message !== undefined && (
        <p class="text-bad">
          <Text value={message} isBlock maxLength={2000} />
        </p>
      )}
      <Facts facts={facts} />
      <Card title={line.isInputCut === true ? "Input (truncated)" : "Input"}>
        {line.isInputCut === true && typeof input === "string" ? (
          <Code source={input} language="json" label="Start of the input" />
        ) : (
          <Json value={input} depth={3} copyLabel="Copy the input" />
        )}
      </Card>
      <div class="row">
        <LinkButton size="small" href={href("audit", [], { tool })}>
          All entries of this tool
        </LinkButton>
        <LinkButton size="small" href={href("audit", [], { principal: principal.id })}>
          All entries of this caller
        </LinkButton>
      </div>
    </>
  );
}

const decisions: { readonly [Decision in AuditCall["decision"]]: string } = {
  allowed: "Allowed: no policy objected",
  approved: "A policy asked, and the call was approved",
  asked: "A policy asked, and the call was not answered yet",
  rejected: "A policy asked, and the call was rejected",
  denied: "Denied by a policy or a limit",
  refused: "The call was not valid, so no policy decided",
};

function NoEntry(): JSX.Element {
  return <Empty title="This entry does not exist" icon="audit" />;
}
