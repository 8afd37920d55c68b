import type { ComponentChildren, JSX } from "preact";
import type { Answer, Approval } from "../../../../src/admin/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../router.ts";
import { person } from "../../session.ts";
import { Proven } from "./caller.tsx";
import { scriptIn } from "./script-subject.ts";

/** The ways to answer, each with what it means; or what was answered. */
export function Decision(props: {
  readonly approval: Approval;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onAnswer: (answer: Answer) => void;
  readonly onReject: () => void;
  readonly onPattern: () => void;
}): JSX.Element {
  const { approval, isBusy, error, onAnswer, onReject, onPattern } = props;
  const { principal, status } = approval;
  if (status !== "waiting") return <Answered approval={approval} error={error} />;
  if (principal.kind === "person" && principal.id === nameOf(person.value))
    return (
      <Card title="Your answer">
        <p class="muted">This is your own call: somebody else must answer it.</p>
      </Card>
    );
  const hasSubject = approval.subject !== undefined && approval.subject !== null;
  const what = scriptIn(approval.subject) ? "this script, as it is," : hasSubject ? "the same" : "this exact input";
  const always = (whom: "caller" | "everyone") => onAnswer({ verdict: "approve", hold: { kind: "always", for: whom } });
  return (
    <Card title="Your answer">
      <div class="approvals-ways">
        {error !== undefined && <Problem error={error} />}
        <Way about="This call goes through, one time.">
          <Button kind="main" isBusy={isBusy} onClick={() => onAnswer({ verdict: "approve" })}>
            Approve once <kbd class="approvals-key">a</kbd>
          </Button>
        </Way>
        <Way
          about={
            <>
              From now on {what} needs no answer when <Proven principal={principal} /> asks.
            </>
          }
        >
          <Button isDisabled={isBusy} onClick={() => always("caller")}>
            Always for this caller
          </Button>
        </Way>
        <Way about={`From now on ${what} needs no answer, whoever asks.`}>
          <Button isDisabled={isBusy} onClick={() => always("everyone")}>
            Always for everyone
          </Button>
        </Way>
        {!hasSubject && (
          <Way about="You say which calls like this one need no answer any more.">
            <Button isDisabled={isBusy} onClick={onPattern}>
              By a pattern…
            </Button>
          </Way>
        )}
        <Way about="The caller is told no, and why.">
          <Button kind="bad" isDisabled={isBusy} onClick={onReject}>
            Reject… <kbd class="approvals-key">r</kbd>
          </Button>
        </Way>
      </div>
    </Card>
  );
}

function Way({
  about,
  children,
}: {
  readonly about: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="approvals-way">
      {children}
      <span class="small muted">{about}</span>
    </div>
  );
}

function Answered({ approval, error }: { readonly approval: Approval; readonly error: unknown }): JSX.Element {
  const { status, answeredBy, answeredAt, reason, grant, expiresAt } = approval;
  return (
    <Card title="The answer">
      <div class="stack-tight">
        {error !== undefined && <Problem error={error} />}
        <p>{sentences[status]}</p>
        {answeredBy !== undefined && (
          <p class="muted">
            <Text value={answeredBy} most={80} isFixed />, {answeredAt !== undefined && <Time at={answeredAt} />}
          </p>
        )}
        {reason !== undefined && (
          <p>
            “<Text value={reason} most={1000} />”
          </p>
        )}
        {status === "approved" && (
          <p class="muted small">
            If nobody comes for it, it is over <Time at={expiresAt} />.
          </p>
        )}
        {grant !== undefined && (
          <p>
            It holds for later calls too, <a href={href("approvals", [], { tab: "grants" })}>until it is revoked</a>.
          </p>
        )}
      </div>
    </Card>
  );
}

const sentences: { readonly [Status in Approval["status"]]: string } = {
  waiting: "",
  approved: "Approved. The caller has not come back for it yet: it goes through once, when it asks again.",
  used: "Approved, and the call went through.",
  rejected: "Rejected. The caller is told so when it asks again.",
  expired: "Over: nobody answered in time, or nobody came for the answer.",
};

function nameOf(who: typeof person.value): string | undefined {
  return typeof who === "string" ? undefined : who.name;
}
