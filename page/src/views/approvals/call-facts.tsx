import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import { Card, Facts } from "../../components/page.tsx";
import type { Fact } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { PrincipalName } from "./caller.tsx";
import { RuleBadges } from "./rule-badges.tsx";
import { ShortHash } from "./short-hash.tsx";
import { TimeLeft } from "./time-left.tsx";

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
      "Asked by the rule",
      <ViewLink route="policies" class="approvals-rules">
        <RuleBadges rules={approval.rules} />
      </ViewLink>,
    ],
    ["Caller", <PrincipalName principal={principal} />],
    agent.agentId !== "unknown" && ["Agent (self-reported)", <Text value={agent.agentId} maxLength={80} />],
    agent.model !== undefined && ["Model", <Text value={agent.model} maxLength={80} />],
    ["Route", <Badge>{route}</Badge>],
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
