import type { ComponentChildren, JSX } from "preact";
import type { AuditCall } from "../../../../src/admin/audit/write-line.ts";
import { Badge, Outcome } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { moment, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { Proven } from "../approvals/caller.tsx";
import { ShortHash } from "../approvals/short-hash.tsx";
import type { Line } from "./columns.tsx";

/** One line with all that it holds; from the list, or asked for by its number. */
export function LineDrawer(props: {
  readonly sequence: string;
  readonly known: Line | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const { sequence, known, onClose } = props;
  const number = /^\d{1,14}$/.test(sequence) ? Number(sequence) : undefined;
  const isWanted = known === undefined && number !== undefined;
  const resource = useResource<{ readonly lines: readonly Line[] }>(
    isWanted ? "/api/audit" : undefined,
    isWanted ? { after: number + 1, limit: 1 } : {},
  );
  return (
    <Drawer title={`Line ${number ?? "?"}`} onClose={onClose}>
      {known ? (
        <Opened line={known} />
      ) : number === undefined ? (
        <NoLine />
      ) : (
        <Loaded resource={resource}>
          {({ lines: [line] }) => (line?.sequence === number ? <Opened line={line} /> : <NoLine />)}
        </Loaded>
      )}
    </Drawer>
  );
}

function Opened({ line }: { readonly line: Line }): JSX.Element {
  return (
    <div class="stack">
      {line.kind === "call" ? (
        <CallLine line={line} />
      ) : (
        <p class="text-bad">
          {plural(line.count, "line")} could not be kept, the first of them <Time at={line.time} />.
        </p>
      )}
      <Card title="Place in the chain">
        <div class="stack-tight">
          <Facts
            facts={[
              ["This line", <ShortHash hash={line.hash} what="hash of this line" />],
              ["The one before", <ShortHash hash={line.previous} what="hash of the line before" />],
            ]}
          />
          <p class="muted small">
            The hash is made of this line and the hash before it; <code>biplane audit verify</code> works them all out
            again.
          </p>
        </div>
      </Card>
    </div>
  );
}

function CallLine({ line }: { readonly line: AuditCall }): JSX.Element {
  const { tool, outcome, message, decision, approvedBy, agent, principal, route, episode, session, input } = line;
  const facts: (readonly [string, ComponentChildren])[] = [
    ["When", moment(line.time)],
    ["Who", <Proven principal={principal} />],
    ...(agent.agentId === principal.id ? [] : [["Says it is", <Text value={agent.agentId} most={120} />] as const]),
    ...(agent.model === undefined ? [] : [["Model", <Text value={agent.model} most={120} />] as const]),
    ["Route", <Badge>{route}</Badge>],
    ["Took", <Duration ms={line.durationMs} />],
    ["Request", <Text value={line.requestId} most={80} isMono />],
    ...(session === undefined ? [] : [["Session", <Text value={session} most={40} isMono />] as const]),
    ...(episode === undefined
      ? []
      : [
          [
            "Episode",
            <a href={href("episodes", [episode])}>
              <Text value={episode} most={40} isMono isFixed />
            </a>,
          ] as const,
        ]),
  ];
  return (
    <>
      <div class="row">
        <span class="strong mono">
          <Text value={tool} most={120} />
        </span>
        <Outcome value={outcome} />
      </div>
      <p>
        {route === "people" ? "Done by a person" : decisions[decision]}
        {approvedBy !== undefined && (
          <>
            {" "}
            by <Text value={approvedBy} most={120} />
          </>
        )}
        .
      </p>
      {message !== undefined && (
        <p class="text-bad">
          <Text value={message} isBlock most={2000} />
        </p>
      )}
      <Facts facts={facts} />
      <Card title={line.isInputCut === true ? "Input, its start" : "Input"}>
        {line.isInputCut === true && typeof input === "string" ? (
          <Code source={input} language="json" label="The start of the input" />
        ) : (
          <Json value={input} depth={3} copyLabel="Copy the input" />
        )}
      </Card>
      <div class="row">
        <LinkButton size="small" href={href("audit", [], { tool })}>
          All of this tool
        </LinkButton>
        <LinkButton size="small" href={href("audit", [], { principal: principal.id })}>
          All of this caller
        </LinkButton>
      </div>
    </>
  );
}

const decisions: { readonly [Decision in AuditCall["decision"]]: string } = {
  allowed: "No policy had anything against it",
  approved: "A policy asked, and it was approved",
  asked: "A policy asked; nobody had answered yet",
  rejected: "A policy asked, and it was rejected",
  denied: "A policy denied it",
  refused: "It was refused for what is wrong with the call itself",
};

function NoLine(): JSX.Element {
  return <Empty title="There is no such line" icon="audit" />;
}
