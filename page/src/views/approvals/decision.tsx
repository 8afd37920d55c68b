import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Approval, ApprovalScope } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayUse } from "../../access.ts";
import { Button } from "../../components/button.tsx";
import { Textarea } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { UnreadNotice } from "../../components/read-to-end.tsx";
import type { Reading } from "../../components/read-to-end.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { ViewOnly } from "../../components/view-only.tsx";
import { dateTime } from "../../format.ts";
import { href } from "../../router.ts";
import { PrincipalName } from "./caller.tsx";
import { isOwnCall } from "./own-call.ts";
import { personName } from "./person-name.ts";
import { isUnused } from "./is-unused.ts";
import { RanCall } from "./ran-call.tsx";
import type { Ran } from "./use-ran-call.ts";
import { scriptIn } from "./script-subject.ts";
import { Votes, approveTitle } from "./votes.tsx";

/** The possible answers with their effects, or the given answer. */
export function Decision(props: {
  readonly approval: Approval;
  /** The call that used the approval. */
  readonly ran: Ran;
  readonly reading: Reading;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly comment: string;
  readonly onComment: (comment: string) => void;
  readonly onApprove: (scope?: ApprovalScope) => void;
  readonly onReject: () => void;
  readonly onPattern: () => void;
}): JSX.Element {
  const { approval, ran, reading, isBusy, error, comment, onComment, onApprove, onReject, onPattern } = props;
  const { principal, status } = approval;
  const [isCommenting, setCommenting] = useState(false);
  if (status !== "waiting") return <Answered approval={approval} ran={ran} error={error} />;
  if (!mayUse("approvals"))
    return (
      <Card title="Decision">
        <div class="stack-tight">
          <Votes approval={approval} />
          <ViewOnly action="Answering calls" scope="approvals" />
        </div>
      </Card>
    );
  if (isOwnCall(approval))
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
  const always = (callers: "caller" | "everyone") => onApprove({ kind: "always", for: callers });
  const isOff = isBusy || !reading.isDone;
  const needsSeveral = approval.approvers !== undefined;
  return (
    <Card
      title="Your decision"
      actions={
        !isCommenting && (
          <Button kind="quiet" size="small" icon="plus" onClick={() => setCommenting(true)}>
            Comment
          </Button>
        )
      }
    >
      <div class={reading.isDone ? "approvals-options" : "approvals-options approvals-unread"}>
        {error !== undefined && <Problem error={error} />}
        <Votes approval={approval} />
        {isCommenting && (
          <Textarea
            label="Comment"
            hint="Kept with your approval and in the audit log. The caller does not get it."
            rows={2}
            isFocused
            value={comment}
            onInput={(value) => onComment(value.slice(0, 1000))}
          />
        )}
        <UnreadNotice reading={reading} />
        <div class="approvals-usual">
          <Option
            about={
              needsSeveral
                ? "Adds your approval. The call runs when enough people have approved."
                : hasSubject
                  ? "Allow this call once."
                  : "Allow this exact input once. Any other input needs a new approval."
            }
          >
            <Button kind="main" isBusy={isBusy} isDisabled={!reading.isDone} onClick={() => onApprove()}>
              {approveTitle(approval)} <kbd class="approvals-key">a</kbd>
            </Button>
          </Option>
          <Option about="Send the rejection and your reason to the caller.">
            <Button kind="bad" isDisabled={isBusy} onClick={onReject}>
              Reject… <kbd class="approvals-key">r</kbd>
            </Button>
          </Option>
        </div>
        {!needsSeveral && (
          <>
            <h3 class="approvals-later">Approve later calls, too</h3>
            <Option
              about={
                <>
                  Auto-approve {what} from <PrincipalName principal={principal} />.
                </>
              }
            >
              <Button isDisabled={isOff} onClick={() => always("caller")}>
                Always for this caller
              </Button>
            </Option>
            <Option about={`Auto-approve ${what} from every caller.`}>
              <Button isDisabled={isOff} onClick={() => always("everyone")}>
                Always for everyone
              </Button>
            </Option>
          </>
        )}
        {!hasSubject && !needsSeveral && (
          <Option about="Auto-approve calls that match a pattern.">
            <Button isDisabled={isOff} onClick={onPattern}>
              Approve by pattern…
            </Button>
          </Option>
        )}
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

function Answered(props: { readonly approval: Approval; readonly ran: Ran; readonly error: unknown }): JSX.Element {
  const { approval, ran, error } = props;
  const { status, answeredBy, answeredAt, reason, grant, expiresAt } = approval;
  const after = isUnused(approval) ? "Not used in time: the caller did not retry." : sentences[status];
  return (
    <Card title="Decision" class="approvals-decided">
      <div class="stack-tight">
        {error !== undefined && <Problem error={error} />}
        {answeredBy !== undefined && (
          <p>
            {status === "rejected" ? "Rejected" : "Approved"} by{" "}
            <Text value={personName(answeredBy)} maxLength={80} isFixed class="strong" />
            {answeredAt !== undefined && (
              <>
                , {dateTime(answeredAt)}{" "}
                <span class="muted">
                  (<Time at={answeredAt} />)
                </span>
              </>
            )}
          </p>
        )}
        {after !== "" && <p>{after}</p>}
        <Votes approval={approval} />
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
        {status === "used" && <RanCall approval={approval} ran={ran} />}
        {status === "rejected" && (
          <p>
            <ViewLink
              route="audit"
              query={{ tool: approval.tool, principal: approval.principal.id, decision: "rejected" }}
            >
              Find the call in the audit log
            </ViewLink>
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

/** What follows from the answer. */
const sentences: { readonly [Status in Approval["status"]]: string } = {
  waiting: "",
  approved: "The caller has not retried yet. The call runs once when it does.",
  used: "",
  rejected: "The caller receives the reason when it retries.",
  expired: "Expired. It was not answered in time.",
};
