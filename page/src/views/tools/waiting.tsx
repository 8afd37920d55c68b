import type { JSX } from "preact";
import type { Approval } from "../../../../src/admin/approvals/approval.ts";
import { segment } from "../../api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { useEvents } from "../../events.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";

/** A call that waits for somebody's word: where that is given, and the call again once it is. */
export function Waiting(props: {
  readonly id: string | undefined;
  readonly isBusy: boolean;
  readonly onAgain: () => void;
}): JSX.Element {
  const { id, isBusy } = props;
  const approval = useResource<Approval>(id === undefined ? undefined : `/api/approvals/${segment(id)}`);
  useEvents("approvals", approval.reload);
  const { status = "waiting", answeredBy, reason, question } = approval.data ?? {};
  const isOpen = status === "waiting";
  return (
    <div class={`tools-waiting tone-${tones[status]}`} role="status">
      <Icon name={status === "approved" ? "check" : "clock"} />
      <div class="grow">
        <div class="strong">{words[status]}</div>
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
        {isOpen && <div class="small">Somebody other than you has to answer it.</div>}
      </div>
      <LinkButton size="small" href={href("approvals", id === undefined ? [] : [id])}>
        See the approval
      </LinkButton>
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

const words: Readonly<Record<Approval["status"], string>> = {
  waiting: "The call waits for a person's approval",
  approved: "It is approved: call again, and it runs",
  used: "The approval has been used",
  rejected: "It was rejected",
  expired: "Nobody answered in time",
};

const tones: Readonly<Record<Approval["status"], string>> = {
  waiting: "info",
  approved: "good",
  used: "plain",
  rejected: "warn",
  expired: "warn",
};
