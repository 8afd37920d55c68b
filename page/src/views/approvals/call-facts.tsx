import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Card, Facts } from "../../components/page.tsx";
import type { Fact } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { PrincipalName } from "./caller.tsx";
import { RuleBadges } from "./rule-badges.tsx";
import { ShortHash } from "./short-hash.tsx";
import { TimeLeft } from "./time-left.tsx";

const routeTitles: { readonly [Name in Approval["route"]]: string } = {
  mcp: "MCP",
  execute: "REST",
  step: "a step of an episode",
  code: "agent code",
  script: "a script",
  app: "an app",
  schedule: "a schedule",
  direct: "a call in the server's process",
  people: "the admin page",
};

/** The caller of a waiting call, its route and its times. */
export function CallFacts({ approval }: { readonly approval: Approval }): JSX.Element {
  const { server, tool, hash, agent, principal, route, session, episode, askedAt, expiresAt, status } = approval;
  const facts: readonly (Fact | false)[] = [
    [
      "Tool",
      <ViewLink route="tools" path={[server, tool]} class="mono">
        <Text value={tool} maxLength={80} isFixed />
      </ViewLink>,
    ],
    ["Server", <Text value={server} maxLength={80} />],
    approval.rules !== undefined && [
      approval.rules.length > 1 ? "Rules that ask" : "Rule that asks",
      <ViewLink route="policies" class="approvals-rules">
        <RuleBadges rules={approval.rules} />
      </ViewLink>,
    ],
    ["Caller", <PrincipalName principal={principal} />],
    agent.agentId !== "unknown" && ["Agent (self-reported)", <Text value={agent.agentId} maxLength={80} />],
    agent.model !== undefined && ["Model", <Text value={agent.model} maxLength={80} />],
    ["Sent over", routeTitles[route]],
    episode !== undefined && [
      "Episode",
      <ViewLink route="episodes" path={[episode]} class="mono">
        <Text value={episode} maxLength={24} isFixed />
      </ViewLink>,
    ],
    session !== undefined && ["Session", <Text value={session} maxLength={24} isFixed isMono />],
    ["Requested", <Time at={askedAt} />],
    status === "waiting" && ["Expires", <TimeLeft until={expiresAt} isIn />],
    ["Fingerprint", <ShortHash hash={hash} what="fingerprint" />],
  ];
  return (
    <Card title="Request">
      <Facts facts={facts} />
    </Card>
  );
}
