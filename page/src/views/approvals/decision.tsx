import type { ComponentChildren, JSX } from "preact";
import type { ApprovalAnswer, Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../router.ts";
import { person } from "../../session.ts";
import { PrincipalName } from "./caller.tsx";
import { scriptIn } from "./script-subject.ts";

/** The possible answers with their effects, or the given answer. */
export function Decision(props: {
  readonly approval: Approval;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onReject: () => void;
  readonly onPattern: () => void;
}): JSX.Element {
  const { approval, isBusy, error, onAnswer, onReject, onPattern } = props;
  const { principal, status } = approval;
  if (status !== "waiting") return <Answered approval={approval} error={error} />;
  if (principal.kind === "person" && principal.id === nameOf(person.value))
    return (
      <Card title="Your decision">
        <p class="muted">This is your own call. Another person must answer it.</p>
      </Card>
    );
  const hasSubject = approval.subject !== undefined && approval.subject !== null;
  const what = scriptIn(approval.subject)
    ? "this version of the script"
    : hasSubject
      ? "the same subject"
      : "this exact input";
  const always = (callers: "caller" | "everyone") =>
    onAnswer({ verdict: "approve", scope: { kind: "always", for: callers } });
  return (
    <Card title="Your decision">
      <div class="approvals-options">
        {error !== undefined && <Problem error={error} />}
        <Option about="Allow this call once.">
          <Button kind="main" isBusy={isBusy} onClick={() => onAnswer({ verdict: "approve" })}>
            Approve once <kbd class="approvals-key">a</kbd>
          </Button>
        </Option>
        <Option
          about={
            <>
              Auto-approve {what} from <PrincipalName principal={principal} />.
            </>
          }
        >
          <Button isDisabled={isBusy} onClick={() => always("caller")}>
            Always for this caller
          </Button>
        </Option>
        <Option about={`Auto-approve ${what} from every caller.`}>
          <Button isDisabled={isBusy} onClick={() => always("everyone")}>
            Always for everyone
          </Button>
        </Option>
        {!hasSubject && (
          <Option about="Auto-approve calls that match a pattern.">
            <Button isDisabled={isBusy} onClick={onPattern}>
              Approve by pattern…
            </Button>
          </Option>
        )}
        <Option about="Send the rejection and your reason to the caller.">
          <Button kind="bad" isDisabled={isBusy} onClick={onReject}>
            Reject… <kbd class="approvals-key">r</kbd>
          </Button>
        </Option>
      </div>
    </Card>
  );
}

function Option({
  about,
  children,
}: {
  readonly about: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="approvals-option">
      {children}
      <span class="small muted">{about}</span>
    </div>
  );
}

function Answered({ approval, error }: { readonly approval: Approval; readonly error: unknown }): JSX.Element {
  const { status, answeredBy, answeredAt, reason, grant, expiresAt } = approval;
  return (
    <Card title="Decision">
      <div class="stack-tight">
        {error !== undefined && <Problem error={error} />}
        <p>{sentences[status]}</p>
        {answeredBy !== undefined && (
          <p class="muted">
            <Text value={answeredBy} maxLength={80} isFixed />, {answeredAt !== undefined && <Time at={answeredAt} />}
          </p>
        )}
        {reason !== undefined && (
          <p>
            “<Text value={reason} maxLength={1000} />”
          </p>
        )}
        {status === "approved" && (
          <p class="muted small">
            Expires <Time at={expiresAt} /> if the caller does not retry.
          </p>
        )}
        {grant !== undefined && (
          <p>
            It also applies to later calls, <a href={href("approvals", [], { tab: "grants" })}>until it is revoked</a>.
          </p>
        )}
      </div>
    </Card>
  );
}

const sentences: { readonly [Status in Approval["status"]]: string } = {
  waiting: "",
  approved: "Approved. The caller has not retried yet. The call runs once when it does.",
  used: "Approved, and the call ran.",
  rejected: "Rejected. The caller receives the reason when it retries.",
  expired: "Expired. It was not answered in time, or the caller did not retry.",
};

function nameOf(who: typeof person.value): string | undefined {
  return typeof who === "string" ? undefined : who.name;
}
