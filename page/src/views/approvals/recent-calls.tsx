import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Outcome } from "../../components/badge.tsx";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { useResource } from "../../resource.ts";

/** What the caller did before, so that a call is judged in its context. */
export function RecentCalls({ approval }: { readonly approval: Approval }): JSX.Element {
  const calls = useResource("/api/approvals/:id/calls", { id: approval.id });
  return (
    <Card title="Last calls of this caller">
      <Loaded resource={calls} rows={3}>
        {({ calls: found }) =>
          found.length === 0 ? (
            <p class="muted">This caller made no other call yet.</p>
          ) : (
            <ul class="approvals-recent">
              {found.map(({ id, tool, outcome, at, message }) => (
                <li key={id}>
                  <ViewLink route="live" path={[id]} class="mono ellipsis">
                    <Text value={tool} maxLength={60} isFixed />
                  </ViewLink>
                  <Outcome value={outcome} />
                  <span class="small muted end">
                    <Time at={at} />
                  </span>
                  {message !== null && outcome !== "APPROVAL_PENDING" && (
                    <span class="small muted approvals-recent-why">
                      <Text value={message} maxLength={140} isFixed />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
