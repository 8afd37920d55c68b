import type { JSX } from "preact";
import type { Grant } from "../../../../src/admin/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../router.ts";
import { Proven } from "./caller.tsx";
import { patternWords } from "./pattern-words.ts";
import { scriptIn } from "./script-subject.ts";
import { ShortHash, shortHash } from "./short-hash.tsx";

/** A standing approval with all that it says. */
export function GrantDrawer(props: {
  readonly grant: Grant;
  readonly onRevoke: () => void;
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
        <Button kind="bad" onClick={onRevoke}>
          Revoke
        </Button>
      }
    >
      <div class="stack">
        <p>
          <Text value={grantSentence(grant)} most={2000} />
        </p>
        <Facts
          facts={[
            ["Tool", <Text value={tool} most={80} />],
            ["Server", <Text value={server} most={80} />],
            ["For", principal ? <Proven principal={principal} /> : "everyone"],
            ["Granted by", <Text value={grantedBy} most={80} />],
            ["Since", <Time at={grantedAt} />],
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
          <Card title="What it is for">
            <Json value={subject} depth={2} />
          </Card>
        )}
      </div>
    </Drawer>
  );
}

/** What it covers, as the rest of a sentence. */
export function grantWords({ tool, hash, pattern, subject }: Grant): string {
  if (pattern !== undefined) return patternWords(pattern);
  const script = scriptIn(subject);
  if (script) return `${tool} of ${script.file}, as it was when it was approved`;
  return subject === undefined
    ? `calls of ${tool} with one exact input (${shortHash(hash ?? "")}…)`
    : `calls of ${tool} about one exact thing (${shortHash(hash ?? "")}…)`;
}

/** The same, to stand by itself. */
export function grantSentence(grant: Grant): string {
  const words = grantWords(grant);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
