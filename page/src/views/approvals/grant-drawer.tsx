import type { JSX } from "preact";
import type { Grant } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../router.ts";
import { PrincipalName } from "./caller.tsx";
import { describePattern } from "./describe-pattern.ts";
import { scriptIn } from "./script-subject.ts";
import { ShortHash, shortHash } from "./short-hash.tsx";

/** The details of a standing approval. */
export function GrantDrawer(props: {
  readonly grant: Grant;
  readonly onRevoke: (() => void) | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const { grant, onRevoke, onClose } = props;
  const { tool, server, hash, pattern, subject, principal, grantedBy, grantedAt } = grant;
  const script = scriptIn(subject);
  return (
    <Drawer
      title="Standing approval"
      onClose={onClose}
      actions={
        onRevoke && (
          <Button kind="bad" onClick={onRevoke}>
            Revoke
          </Button>
        )
      }
    >
      <div class="stack">
        <p>
          <Text value={grantSentence(grant)} maxLength={2000} />
        </p>
        <Facts
          facts={[
            ["Tool", <Text value={tool} maxLength={80} />],
            ["Server", <Text value={server} maxLength={80} />],
            ["Applies to", principal ? <PrincipalName principal={principal} /> : "everyone"],
            ["Granted by", <Text value={grantedBy} maxLength={80} />],
            ["Granted", <Time at={grantedAt} />],
            ...(hash === undefined ? [] : [["Fingerprint", <ShortHash hash={hash} what="fingerprint" />] as const]),
            ...(script
              ? [
                  [
                    "Script",
                    <a href={href("scripts", [script.name])}>
                      <Text value={script.file} />
                    </a>,
                  ] as const,
                ]
              : []),
          ]}
        />
        {pattern !== undefined && (
          <Card title="Pattern">
            <Json value={pattern} depth={4} copyLabel="Copy the pattern" />
          </Card>
        )}
        {subject !== undefined && (
          <Card title="Subject">
            <Json value={subject} depth={2} />
          </Card>
        )}
      </div>
    </Drawer>
  );
}

/** What a grant covers, as a sentence fragment. */
export function describeGrant({ tool, hash, pattern, subject }: Grant): string {
  if (pattern !== undefined) return describePattern(pattern);
  const script = scriptIn(subject);
  if (script) return `${tool} for the approved version of ${script.file}`;
  return subject === undefined
    ? `calls to ${tool} with one exact input (${shortHash(hash ?? "")}…)`
    : `calls to ${tool} for one exact subject (${shortHash(hash ?? "")}…)`;
}

/** What a grant covers, starting with a capital letter. */
export function grantSentence(grant: Grant): string {
  const text = describeGrant(grant);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
