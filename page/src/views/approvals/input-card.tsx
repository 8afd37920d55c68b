import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { ApiError } from "../../api.ts";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Segmented } from "../../components/field.tsx";
import { Json, isFolded, jsonText } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { ReadToEnd } from "../../components/read-to-end.tsx";
import type { Reading } from "../../components/read-to-end.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useResource } from "../../resource.ts";

/** The tool's exact input, and its difference from the last approved call. */
export function InputCard(props: { readonly approval: Approval; readonly reading: Reading }): JSX.Element {
  const { approval, reading } = props;
  const { id, tool, input } = approval;
  const [view, setView] = useState<"tree" | "raw">("tree");
  const before = useResource("/api/approvals/:id/previous", { id });
  const hasNone = before.error instanceof ApiError && before.error.status === 404;
  return (
    <>
      <Card
        title={
          <>
            Input of{" "}
            <span class="mono">
              <Text value={tool} maxLength={80} isFixed />
            </span>
          </>
        }
        actions={
          <>
            <Segmented
              label="Input view"
              value={view}
              choices={[
                { value: "tree", title: "Tree" },
                { value: "raw", title: "Raw" },
              ]}
              onChange={setView}
            />
            <CopyButton text={jsonText(input)} label="Copy the input as JSON" />
          </>
        }
      >
        <ReadToEnd part="input" reading={reading} isFolded={view === "tree" && isFolded(input, treeDepth)}>
          {(isWhole) =>
            view === "tree" ? (
              <Json key={String(isWhole)} value={input} depth={isWhole ? Infinity : treeDepth} />
            ) : (
              <Code source={jsonText(input)} language="json" label="Raw input" isNumbered isWhole />
            )
          }
        </ReadToEnd>
      </Card>
      <Card title="Changes since the last approved call" isFlush={before.data !== undefined}>
        {before.data !== undefined ? (
          <>
            <p class="muted small approvals-before">
              Compared with the call that <Text value={before.data.answeredBy} maxLength={80} isFixed /> approved{" "}
              <Time at={before.data.answeredAt} />.
            </p>
            <JsonDiff before={before.data.input} after={input} label="Input diff against the last approved call" />
          </>
        ) : hasNone ? (
          <p class="muted">No earlier approved call of this tool is on record.</p>
        ) : before.error !== undefined ? (
          <Problem error={before.error} retry={before.reload} />
        ) : (
          <Loading rows={2} />
        )}
      </Card>
    </>
  );
}

const treeDepth = 4;
