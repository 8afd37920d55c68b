import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Segmented } from "../../components/field.tsx";
import { Json, isFolded, jsonText } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { ReadToEnd } from "../../components/read-to-end.tsx";
import type { Reading } from "../../components/read-to-end.tsx";
import { Text } from "../../components/text.tsx";
import { useIsWide } from "../../use-is-wide.ts";

/** The tool's exact input. */
export function InputCard(props: { readonly approval: Approval; readonly reading: Reading }): JSX.Element {
  const { approval, reading } = props;
  const { tool, input } = approval;
  // A large window has space for a letter, which is then read without a click.
  const isOpen = useIsWide(1500) && jsonText(input).length <= maxOpenLength;
  const [view, setView] = useState<"tree" | "raw">("tree");
  return (
    <Card
      title={
        <>
          Input of <Text value={tool} maxLength={80} isFixed isMono />
        </>
      }
      actions={
        <>
          <Segmented label="Input view" value={view} choices={{ tree: "Tree", raw: "Raw" }} onChange={setView} />
          <CopyButton text={jsonText(input)} label="Copy the input as JSON" />
        </>
      }
    >
      <ReadToEnd part="input" reading={reading} isFolded={view === "tree" && !isOpen && isLong(input)}>
        {(isWhole) =>
          view === "tree" ? (
            <Json key={String(isWhole)} value={input} depth={isWhole ? Infinity : treeDepth} />
          ) : (
            <Code source={jsonText(input)} language="json" label="Raw input" isNumbered isWhole />
          )
        }
      </ReadToEnd>
    </Card>
  );
}

/** True if the tree of an input does not show all of it at first. */
export function isLong(input: unknown): boolean {
  return isFolded(input, treeDepth);
}

const treeDepth = 4;
const maxOpenLength = 4000;
