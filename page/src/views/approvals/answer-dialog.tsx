import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ApprovalAnswer } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Textarea } from "../../components/field.tsx";

/** Asks for the reason of a rejection, which the caller receives, or for the comment of an approval. */
export function AnswerDialog(props: {
  readonly verdict: "approve" | "reject";
  /** Names what is answered: `3 calls`. */
  readonly what: string;
  readonly isBusy: boolean;
  readonly error?: unknown;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { verdict, what, isBusy, error, onAnswer, onClose } = props;
  const [text, setText] = useState("");
  const isRejection = verdict === "reject";
  const run = async () => onAnswer(isRejection ? { verdict, reason: text } : { verdict, comment: text });
  return (
    <FormDialog
      title={isRejection ? `Reject ${what}` : `Approve ${what} once`}
      class="stack-tight"
      kind={isRejection ? "bad" : "main"}
      action={isRejection ? "Reject" : "Approve once"}
      mutation={{ run, isBusy, error }}
      isReady={!isRejection || text.trim() !== ""}
      onClose={onClose}
    >
      <Textarea
        label={isRejection ? "Reason" : "Comment"}
        hint={
          isRejection ? "Sent to the caller. Say what to do instead." : "Kept with the decision and in the audit log."
        }
        isRequired={isRejection}
        isFocused
        rows={3}
        value={text}
        onInput={(value) => setText(value.slice(0, 1000))}
      />
    </FormDialog>
  );
}
