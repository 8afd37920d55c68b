import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Textarea } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";

/** Asks for the reason of a rejection, which the caller receives. */
export function RejectDialog(props: {
  /** Names what is rejected: `3 calls`. */
  readonly what: string;
  readonly isBusy: boolean;
  readonly error?: unknown;
  readonly onReject: (reason: string) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { what, isBusy, error, onReject, onClose } = props;
  const [reason, setReason] = useState("");
  const isReady = reason.trim() !== "";
  return (
    <Dialog
      title={`Reject ${what}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="bad" isBusy={isBusy} isDisabled={!isReady} onClick={() => onReject(reason)}>
            Reject
          </Button>
        </>
      }
    >
      <div class="stack-tight">
        <Textarea
          label="Reason"
          hint="Sent to the caller. Say what to do instead."
          isRequired
          isFocused
          rows={3}
          value={reason}
          onInput={(text) => setReason(text.slice(0, 1000))}
        />
        {error !== undefined && <Problem error={error} />}
      </div>
    </Dialog>
  );
}
