import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import type { ApiResponse } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { count, plural } from "../../format.ts";
import { useMutation } from "../../resource.ts";

type Check = ApiResponse<"GET /api/audit/verify">;

/** Recomputes every hash of the log, in parts, and shows how far it got. */
export function VerifyAudit({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const [check, setCheck] = useState<Check>();
  const [isOpen, setOpen] = useState(false);
  const verify = useMutation(async (_: void, signal) => {
    let part: Check | undefined;
    do {
      const query = part === undefined ? {} : { after: part.next ?? 0, head: part.head };
      part = await callApi("GET /api/audit/verify", { query, signal });
      setCheck(part);
    } while (part.next !== null && !signal.aborted);
    onDone();
  });
  return (
    <>
      <Button
        icon="approvals"
        isBusy={verify.isBusy}
        onClick={() => {
          setCheck(undefined);
          setOpen(true);
          void verify.run();
        }}
      >
        Verify log
      </Button>
      {isOpen && (
        <Dialog title="Verify the audit log" width="narrow" onClose={() => setOpen(false)}>
          <div class="stack-tight" role="status">
            {verify.error !== undefined && <Problem error={verify.error} />}
            {check && <Progress check={check} isBusy={verify.isBusy} />}
          </div>
        </Dialog>
      )}
    </>
  );
}

function Progress({ check, isBusy }: { readonly check: Check; readonly isBusy: boolean }): JSX.Element {
  const { ok, lines, total, head, why } = check;
  if (isBusy)
    return (
      <>
        <progress class="audit-progress" value={lines} max={Math.max(1, total)} aria-label="Checked entries" />
        <p class="muted">
          {count(lines)} of {count(total)} entries
        </p>
      </>
    );
  if (!ok)
    return (
      <>
        <p class="text-bad strong">The log was changed.</p>
        <p>
          The first {plural(lines, "entry", "entries")} are right. Then: <Text value={why ?? ""} />.
        </p>
      </>
    );
  return (
    <>
      <p class="text-good strong">{plural(lines, "entry", "entries")} verified. None was changed, moved or removed.</p>
      <p class="muted">Keep this hash elsewhere. With it, a log that was rewritten as a whole is found out, too:</p>
      <div class="audit-head">
        <span class="mono grow">{head}</span>
        <CopyButton text={`${lines} ${head}`} label="Copy the number and the hash" />
      </div>
      <p class="muted small">
        <code>biplane audit verify --lines {lines} --head …</code>
      </p>
    </>
  );
}
