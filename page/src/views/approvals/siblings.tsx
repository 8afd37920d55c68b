import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayUse } from "../../access.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { count, plural } from "../../format.ts";
import { href } from "../../router.ts";
import { batchKey } from "./batches.ts";
import { briefInput, briefLengths, hiddenCharacters, isReadable } from "./brief.ts";
import type { Queue } from "./use-queue.ts";

/** The other waiting calls of the same request. */
export function Siblings(props: {
  readonly approval: Approval;
  readonly queue: Queue;
  readonly isBusy: boolean;
  readonly onApprove: (all: readonly Approval[]) => void;
}): JSX.Element | null {
  const { approval, queue, isBusy, onApprove } = props;
  const all = queue.items.filter((each) => batchKey(each) === batchKey(approval));
  const others = all.filter(({ id }) => id !== approval.id);
  if (others.length === 0) return null;
  const areReadable = all.every(isReadable);
  return (
    <Card title={`${plural(others.length, "other call")} from the same request`}>
      <div class="stack-tight">
        <ul class="approvals-siblings">
          {others.map((each) => (
            <li key={each.id}>
              <a href={href("approvals", [each.id])}>
                <Text value={each.question} maxLength={briefLengths.question} isFixed />
              </a>
              <div class="mono small muted">
                <Text value={briefInput(each.input)} maxLength={briefLengths.input} isFixed />
              </div>
              {!isReadable(each) && (
                <p class="small text-warn">{count(hiddenCharacters(each))} more characters. Open it to approve.</p>
              )}
            </li>
          ))}
        </ul>
        {approval.status === "waiting" && mayUse("approvals") && (
          <div>
            <Button
              isBusy={isBusy}
              isDisabled={!areReadable}
              title={areReadable ? undefined : "Open the calls that are not shown in full first."}
              onClick={() => onApprove(all)}
            >
              Approve all {all.length} once
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
