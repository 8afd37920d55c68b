import type { JSX } from "preact";
import type { AuditCall } from "../../../../packages/biplane/src/governance/audit/write-line.ts";
import { mayOpen } from "../../access.ts";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { useResource } from "../../resource.ts";

/** What an approved call returned. The call log keeps it for a time, the audit log never. */
export function OutputCard({ line }: { readonly line: AuditCall }): JSX.Element | null {
  const { tool, principal, requestId, time } = line;
  const ended = Date.parse(time);
  // Both logs write the time of the end, not always in the same millisecond.
  const [since, until] = [ended - 2000, ended + 2000].map((ms) => new Date(ms).toISOString());
  const query = { tool, principal: principal.id, since, until, limit: 50 };
  const calls = useResource("/api/calls", mayOpen("live") ? { query } : undefined);
  const found = calls.data?.calls.filter(
    (each) => each.tool === tool && each.principal.id === principal.id && each.agent.requestId === requestId,
  );
  // The calls of one code run share their request id. The output of another one would be worse than none.
  const id = found?.length === 1 ? found[0]?.id : undefined;
  const call = useResource("/api/calls/:id", id === undefined ? undefined : { id });
  if (id === undefined) return null;
  return (
    <Card
      title={
        <>
          Output of <Text value={tool} maxLength={80} isFixed isMono />
        </>
      }
      actions={
        <ViewLink route="live" path={[id]} class="small">
          Open the call
        </ViewLink>
      }
    >
      <Loaded resource={call} rows={3}>
        {({ result, message }) =>
          result ? (
            <Json value={result.structuredContent ?? result.content} depth={3} />
          ) : (
            <Text value={message ?? "The output is not kept."} isBlock />
          )
        }
      </Loaded>
    </Card>
  );
}
