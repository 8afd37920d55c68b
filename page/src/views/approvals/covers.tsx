import type { JSX } from "preact";
import type { Approval } from "../../../../src/admin/approvals/approval.ts";
import { LinkButton } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { href } from "../../router.ts";
import { scriptIn } from "./script-subject.ts";
import { ShortHash } from "./short-hash.tsx";

/** What a yes is for: the exact input, or what the policy named in its place. */
export function Covers({ approval: { subject, hash } }: { readonly approval: Approval }): JSX.Element {
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
              The exact bytes of <Text value={script.file} most={80} isFixed /> as they are below, whatever it is given.
              A changed file asks again.
            </p>
            <Code source={script.source} language="starlark" label="The script that asks" isNumbered mostLines={60} />
          </>
        ) : subject === undefined || subject === null ? (
          <p>This exact input of this tool, and no other. With anything changed, the call asks again.</p>
        ) : (
          <>
            <p>What the policy named, whatever else the input holds:</p>
            <Json value={subject} depth={3} />
          </>
        )}
        <p class="muted small">
          Its fingerprint is <ShortHash hash={hash} what="fingerprint" />
        </p>
      </div>
    </Card>
  );
}
