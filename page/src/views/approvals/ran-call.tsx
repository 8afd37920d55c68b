import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayOpen } from "../../access.ts";
import { Outcome } from "../../components/badge.tsx";
import { comparableJson } from "../../components/line-diff.ts";
import { Loading } from "../../components/states.tsx";
import { CallDuration } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { useResource } from "../../resource.ts";

/** How the call that used an approval ended: the first one with its input in the audit log after the answer. */
export function RanCall({ approval }: { readonly approval: Approval }): JSX.Element {
  const { tool, principal, input, answeredAt } = approval;
  const filter = { tool, principal: principal.id, decision: "approved" };
  const query = { ...filter, since: answeredAt, order: "oldest", limit: 20 };
  const log = useResource("/api/audit", mayOpen("audit") ? { query } : undefined);
  if (!log.data && log.isLoading) return <Loading rows={1} />;
  const wanted = comparableJson(input);
  const line = log.data?.lines.find((each) => each.kind === "call" && comparableJson(each.input) === wanted);
  if (line?.kind !== "call")
    return (
      <p>
        <ViewLink route="audit" query={filter}>
          Find the call in the audit log
        </ViewLink>
      </p>
    );
  return (
    <p class="row">
      <Outcome value={line.outcome} />
      <span>
        <CallDuration call={line} />
      </span>
      <ViewLink route="audit" path={[String(line.sequence)]}>
        Open the call in the audit log
      </ViewLink>
    </p>
  );
}
