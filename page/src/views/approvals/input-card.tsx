import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Approval } from "../../../../src/admin/approvals/approval.ts";
import type { ApprovedBefore } from "../../../../src/desk/contract.ts";
import { ApiError, segment } from "../../api.ts";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Segmented } from "../../components/field.tsx";
import { Json, jsonText } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useResource } from "../../resource.ts";

/** Exactly what the tool would get, and how that differs from what somebody approved before. */
export function InputCard({ approval }: { readonly approval: Approval }): JSX.Element {
  const { id, tool, input } = approval;
  const [look, setLook] = useState<"tree" | "raw">("tree");
  const before = useResource<ApprovedBefore>(`/api/approvals/${segment(id)}/before`);
  const hasNone = before.error instanceof ApiError && before.error.status === 404;
  return (
    <>
      <Card
        title={
          <>
            Input of{" "}
            <span class="mono">
              <Text value={tool} most={80} isFixed />
            </span>
          </>
        }
        actions={
          <>
            <Segmented
              label="How to look at the input"
              value={look}
              choices={[
                { value: "tree", title: "Tree" },
                { value: "raw", title: "Raw" },
              ]}
              onChange={setLook}
            />
            <CopyButton text={jsonText(input)} label="Copy the input as JSON" />
          </>
        }
      >
        {look === "tree" ? (
          <Json value={input} depth={4} />
        ) : (
          <Code source={jsonText(input)} language="json" label="Input, raw" isNumbered />
        )}
      </Card>
      <Card title="Compared with what was approved before" isFlush={before.data !== undefined}>
        {before.data !== undefined ? (
          <>
            <p class="muted small approvals-before">
              The call of this tool that <Text value={before.data.answeredBy} most={80} isFixed /> approved last,{" "}
              <Time at={before.data.answeredAt} />.
            </p>
            <JsonDiff before={before.data.input} after={input} label="Input, compared with what was approved before" />
          </>
        ) : hasNone ? (
          <p class="muted">No call of this tool was approved before, as far as is still known.</p>
        ) : before.error !== undefined ? (
          <Problem error={before.error} retry={before.reload} />
        ) : (
          <Loading rows={2} />
        )}
      </Card>
    </>
  );
}
