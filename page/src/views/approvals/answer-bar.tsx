import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import type { Reading } from "../../components/read-to-end.tsx";
import { approveTitle } from "./votes.tsx";

/** The usual answers at the bottom of a phone, where the card with all of them is far below the input. */
export function AnswerBar(props: {
  readonly approval: Approval;
  readonly reading: Reading;
  readonly isBusy: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
}): JSX.Element {
  const { approval, reading, isBusy, onApprove, onReject } = props;
  return (
    <div class="approvals-answer-bar" role="group" aria-label="Answer">
      {/* Apart from the answers, so that a second tap on it cannot approve. */}
      {reading.hasUnread && (
        <Button kind="quiet" icon="down" onClick={reading.showRest}>
          Show the rest
        </Button>
      )}
      <Button kind="bad" isDisabled={isBusy} onClick={onReject}>
        Reject…
      </Button>
      <Button kind="main" isBusy={isBusy} isDisabled={!reading.isDone} onClick={onApprove}>
        {approveTitle(approval)}
      </Button>
    </div>
  );
}
