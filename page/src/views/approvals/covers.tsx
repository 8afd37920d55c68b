import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { LinkButton } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Json, isFolded } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { ReadToEnd } from "../../components/read-to-end.tsx";
import type { Reading } from "../../components/read-to-end.tsx";
import { Text } from "../../components/text.tsx";
import { href } from "../../router.ts";
import { scriptIn } from "./script-subject.ts";

/** What an approval covers instead of the exact input: the subject that the policy named. */
export function Covers(props: { readonly approval: Approval; readonly reading: Reading }): JSX.Element | null {
  const { reading } = props;
  const { subject } = props.approval;
  if (subject === undefined || subject === null) return null;
  const script = scriptIn(subject);
  return (
    <Card
      title="What an approval covers"
      actions={
        script && (
          <LinkButton href={href("scripts", [script.name])} size="small" icon="scripts">
            Open in Scripts
          </LinkButton>
        )
      }
    >
      <div class="stack-tight">
        {script ? (
          <>
            <p>
              This version of <Text value={script.file} maxLength={80} isFixed />, with any input. If the file changes,
              it needs a new approval.
            </p>
            <ReadToEnd part="subject" reading={reading} isFolded={script.source.split("\n").length > maxLines}>
              {(isWhole) => (
                <Code
                  source={script.source}
                  language="starlark"
                  label="Script source"
                  isNumbered
                  maxLines={maxLines}
                  isWhole={isWhole}
                />
              )}
            </ReadToEnd>
          </>
        ) : (
          <>
            <p>The subject that the policy named, with any input:</p>
            <ReadToEnd part="subject" reading={reading} isFolded={isFolded(subject, treeDepth)}>
              {(isWhole) => <Json key={String(isWhole)} value={subject} depth={isWhole ? Infinity : treeDepth} />}
            </ReadToEnd>
          </>
        )}
      </div>
    </Card>
  );
}

const maxLines = 60;
const treeDepth = 3;
