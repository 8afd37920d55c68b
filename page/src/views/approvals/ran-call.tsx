import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Outcome } from "../../components/badge.tsx";
import { Loading } from "../../components/states.tsx";
import { CallDuration } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { auditFilterOf } from "./use-ran-call.ts";
import type { Ran } from "./use-ran-call.ts";

/** How the call that used an approval ended, and where it is in the audit log. */
export function RanCall({ approval, ran }: { readonly approval: Approval; readonly ran: Ran }): JSX.Element {
  const { line, isLoading } = ran;
  if (isLoading) return <Loading rows={1} />;
  if (!line)
    return (
      <p>
        The call ran.{" "}
        <ViewLink route="audit" query={auditFilterOf(approval)}>
          Find the call in the audit log
        </ViewLink>
      </p>
    );
  return (
    <>
      <p>
        The call ran in <CallDuration call={line} />
        {line.outcome === "done" ? "." : <Outcome value={line.outcome} />}
      </p>
      <p>
        <ViewLink route="audit" path={[String(line.sequence)]}>
          Open the call in the audit log
        </ViewLink>
      </p>
    </>
  );
}
