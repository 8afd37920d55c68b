import type { JSX } from "preact";
import type { GrantSummary } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayOpen } from "../../access.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { PrincipalName } from "./caller.tsx";
import { describePattern, patternParts } from "./describe-pattern.ts";
import { personName } from "./person-name.ts";
import { scriptIn } from "./script-subject.ts";
import { ShortHash, shortHash } from "./short-hash.tsx";

/** The details of a standing approval. */
export function GrantDrawer(props: {
  readonly grant: GrantSummary;
  readonly onRevoke: (() => void) | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const { grant, onRevoke, onClose } = props;
  const { id, tool, server, hash, pattern, subject, principal, grantedBy, grantedAt } = grant;
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
            [
              "Tool",
              <ViewLink route="tools" path={[server, tool]} class="mono">
                <Text value={tool} maxLength={80} isFixed />
              </ViewLink>,
            ],
            ["Server", <Text value={server} maxLength={80} />],
            ["Applies to", principal ? <PrincipalName principal={principal} /> : "everyone"],
            ["Granted by", <Text value={personName(grantedBy)} maxLength={80} />],
            ["Granted", <Time at={grantedAt} />],
            hash !== undefined && ["Fingerprint", <ShortHash hash={hash} what="fingerprint" />],
            script !== undefined && [
              "Script",
              <a href={href("scripts", [script.name])}>
                <Text value={script.file} />
              </a>,
            ],
          ]}
        />
        {mayOpen("audit") && (
          <div>
            <LinkButton size="small" icon="audit" href={auditAddress(grant)}>
              Approved calls in the audit log
            </LinkButton>
          </div>
        )}
        {hash !== undefined && subject === undefined && <GrantInput id={id} />}
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

/** The approved calls that a grant may have covered, so that one that nobody needs is found. */
function auditAddress({ tool, pattern, principal }: GrantSummary): string {
  // The log is filtered by one tool. A pattern can cover several.
  const isOneTool = pattern === undefined || patternParts(pattern).tools === tool;
  return href("audit", [], { tool: isOneTool ? tool : undefined, principal: principal?.id, decision: "approved" });
}

/** The exact input. It may be long, so that a list of grants does not have it. */
function GrantInput({ id }: { readonly id: string }): JSX.Element {
  const grant = useResource("/api/grants/:id", { id });
  return (
    <Card title="Input">
      <Loaded resource={grant} rows={3}>
        {({ input }) =>
          input === undefined ? (
            <p class="muted">An earlier version did not keep the input. Only the same fingerprint is covered.</p>
          ) : (
            <Json value={input} depth={4} copyLabel="Copy the input" />
          )
        }
      </Loaded>
    </Card>
  );
}

/** What a grant covers, as a sentence fragment. */
export function describeGrant({ tool, hash, pattern, preview, subject }: GrantSummary): string {
  if (pattern !== undefined) return describePattern(pattern);
  const script = scriptIn(subject);
  if (script) return `calls to ${tool} for the approved version of ${script.file}`;
  if (subject === undefined)
    return `calls to ${tool} with one exact input${preview === undefined ? ` (${shortHash(hash ?? "")}…)` : ""}`;
  return `calls to ${tool} for one exact subject (${shortHash(hash ?? "")}…)`;
}

/** What a grant covers, starting with a capital letter. */
function grantSentence(grant: GrantSummary): string {
  const text = describeGrant(grant);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
