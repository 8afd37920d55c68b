import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Checkbox } from "../../components/field.tsx";
import { plural } from "../../format.ts";
import type { Batch, Grouping } from "./batches.ts";
import { WaitingCard } from "./waiting-card.tsx";
import type { CardActions } from "./waiting-card.tsx";
import { shownText } from "./shown-text.ts";

interface BatchProps extends CardActions {
  readonly batch: Batch;
  readonly grouping: Grouping;
  readonly ticked: ReadonlySet<string>;
  readonly onTick: (ids: readonly string[], isTicked: boolean) => void;
}

/** One waiting call, or several under a heading. */
export function BatchRows(props: BatchProps): JSX.Element {
  const { batch, grouping, ticked, onTick, mayAnswer, isDestructive, isBusy, onApprove, onAsk, onAssign } = props;
  const { approvals } = batch;
  const ids = approvals.map(({ id }) => id);
  const [first] = approvals;
  const rows = approvals.map((approval) => (
    <WaitingCard
      key={approval.id}
      approval={approval}
      isTicked={ticked.has(approval.id)}
      onTick={(isTicked) => onTick([approval.id], isTicked)}
      {...{ mayAnswer, isDestructive, isBusy, onApprove, onAsk, onAssign }}
    />
  ));
  if (!first || (approvals.length === 1 && grouping === "request")) return <ul class="approvals-batch">{rows}</ul>;
  const title = titleOf(approvals, first, grouping);
  return (
    <section class="approvals-batch approvals-together" aria-label={title}>
      <header class="approvals-batch-head">
        {mayAnswer ? (
          <Checkbox
            label={title}
            isChecked={ids.every((id) => ticked.has(id))}
            onChange={(isTicked) => onTick(ids, isTicked)}
          />
        ) : (
          title
        )}
      </header>
      <ul>{rows}</ul>
    </section>
  );
}

function titleOf(approvals: readonly Approval[], first: Approval, grouping: Grouping): string {
  const calls = plural(approvals.length, "call");
  switch (grouping) {
    case "request":
      return `${calls} ${approvals.every(({ route }) => route === "code") ? "from one code run" : "from one request"}`;
    case "tool":
      return `${calls} of ${shownText(first.tool)} on ${shownText(first.server)}`;
    case "caller":
      return `${calls} from ${first.principal.kind} ${shownText(first.principal.id)}`;
    case "rule":
      return `${calls} asked by ${(first.rules ?? ["an unnamed rule"]).map((rule) => shownText(rule)).join(" and ")}`;
  }
}
