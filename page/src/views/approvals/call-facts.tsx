import type { ComponentChildren, JSX } from "preact";
import type { Approval } from "../../../../src/admin/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../router.ts";
import { Proven } from "./caller.tsx";
import { TimeLeft } from "./time-left.tsx";

/** Who asks, from where, and since when. */
export function CallFacts({ approval }: { readonly approval: Approval }): JSX.Element {
  const { server, tool, agent, principal, route, session, episode, askedAt, expiresAt, status } = approval;
  const facts: (readonly [string, ComponentChildren])[] = [
    [
      "Tool",
      <a class="mono" href={href("tools", [server, tool])}>
        <Text value={tool} most={80} isFixed />
      </a>,
    ],
    ["Server", <Text value={server} most={80} />],
    ["Caller", <Proven principal={principal} />],
    ...(agent.agentId === "unknown" ? [] : [["Says it is", <Text value={agent.agentId} most={80} />] as const]),
    ...(agent.model === undefined ? [] : [["Model", <Text value={agent.model} most={80} />] as const]),
    ["Route", <Badge>{route}</Badge>],
    ...(episode === undefined
      ? []
      : [
          [
            "Episode",
            <a class="mono" href={href("episodes", [episode])}>
              <Text value={episode} most={24} isFixed />
            </a>,
          ] as const,
        ]),
    ...(session === undefined
      ? []
      : [
          [
            "Connection",
            <span class="mono">
              <Text value={session} most={24} isFixed />
            </span>,
          ] as const,
        ]),
    ["Asked", <Time at={askedAt} />],
    ...(status === "waiting" ? [["Waits", <TimeLeft until={expiresAt} />] as const] : []),
  ];
  return (
    <Card title="Who asks">
      <Facts facts={facts} />
    </Card>
  );
}
