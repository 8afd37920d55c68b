import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { ApiError } from "../../api.ts";
import { JsonDiff } from "../../components/diff.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useResource } from "../../resource.ts";
import { personName } from "./person-name.ts";

/** The last approved call of the same tool. It is compared with the input only if the two have something in common. */
export function Previous({ approval: { id, input, status } }: { readonly approval: Approval }): JSX.Element {
  const before = useResource("/api/approvals/:id/previous", { id });
  const { data, error } = before;
  const title = status === "waiting" ? "Last approved call" : "Approved before this one";
  if (data === undefined)
    return (
      <Card title={title}>
        {error instanceof ApiError && error.status === 404 ? (
          <p class="muted">No earlier approved call of this tool is on record.</p>
        ) : error !== undefined ? (
          <Problem error={error} retry={before.reload} />
        ) : (
          <Loading rows={2} />
        )}
      </Card>
    );
  const isComparable = shareValues(data.input, input);
  return (
    <Card
      title={isComparable ? "Changes since the last approved call" : title}
      isFlush
      actions={
        <span class="muted small">
          by <Text value={personName(data.answeredBy)} maxLength={80} isFixed />, <Time at={data.answeredAt} />
        </span>
      }
    >
      {isComparable ? (
        <JsonDiff before={data.input} after={input} label="Input diff against the last approved call" />
      ) : (
        <div class="approvals-before">
          <Json value={data.input} depth={2} />
        </div>
      )}
    </Card>
  );
}

/** True if some value of two inputs is equal, so that a diff says more than both of them. */
function shareValues(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other)) return JSON.stringify(one) === JSON.stringify(other);
  return Object.keys(one).some(
    (key) =>
      JSON.stringify(one[key]) === JSON.stringify(other[key]) ||
      (isRecord(one[key]) && isRecord(other[key]) && shareValues(one[key], other[key])) ||
      shareLines(one[key], other[key]),
  );
}

/** True if two texts have a line in common. */
function shareLines(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string" || !one.includes("\n")) return false;
  const lines = new Set(one.split("\n").filter((line) => line.trim() !== ""));
  return other.split("\n").some((line) => lines.has(line));
}
