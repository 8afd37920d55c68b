import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayRead } from "../../access.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { useEvents } from "../../events.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";

/** A call that needs approval: a link to the approval, and a button that calls again. */
export function ApprovalNotice(props: {
  readonly id: string | undefined;
  readonly isBusy: boolean;
  readonly onAgain: () => void;
}): JSX.Element {
  const { id, isBusy } = props;
  const mayView = mayRead("approvals");
  const approval = useResource("/api/approvals/:id", id === undefined || !mayView ? undefined : { id });
  useEvents("approvals", approval.reload);
  const { status = "waiting", answeredBy, reason, question } = approval.data ?? {};
  const isOpen = status === "waiting";
  return (
    <div class={`tools-waiting tone-${tones[status]}`} role="status">
      <Icon name={status === "approved" ? "check" : "clock"} />
      <div class="grow">
        <div class="strong">{labels[status]}</div>
        {question !== undefined && isOpen && <Text value={question} />}
        {!isOpen && answeredBy !== undefined && (
          <div>
            By <Text value={answeredBy} />
            {reason !== undefined && (
              <>
                : <Text value={reason} />
              </>
            )}
          </div>
        )}
        {isOpen && <div class="small">Another person must answer it.</div>}
      </div>
      {mayView && (
        <LinkButton size="small" href={href("approvals", id === undefined ? [] : [id])}>
          View approval
        </LinkButton>
      )}
      <Button
        size="small"
        kind={status === "approved" ? "main" : "plain"}
        icon="refresh"
        isBusy={isBusy}
        onClick={props.onAgain}
      >
        Call again
      </Button>
    </div>
  );
}

const labels: Readonly<Record<Approval["status"], string>> = {
  waiting: "The call is waiting for approval",
  approved: "Approved. Call again to run it.",
  used: "The approval has been used.",
  rejected: "Rejected.",
  expired: "Expired: not answered in time.",
};

const tones: Readonly<Record<Approval["status"], string>> = {
  waiting: "warn",
  approved: "good",
  used: "plain",
  rejected: "warn",
  expired: "warn",
};
