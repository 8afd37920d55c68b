import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import { Checkbox } from "../../components/field.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import { href } from "../../router.ts";
import type { Batch } from "./batches.ts";
import { Caller } from "./caller.tsx";
import { shownText } from "./shown-text.ts";
import { TimeLeft } from "./time-left.tsx";

interface Ticking {
  readonly ticked: ReadonlySet<string>;
  readonly onTick: (ids: readonly string[], isTicked: boolean) => void;
}

/** One waiting call, or several calls of one request under a heading. */
export function BatchRows({ batch, ticked, onTick }: Ticking & { readonly batch: Batch }): JSX.Element {
  const { approvals } = batch;
  const ids = approvals.map(({ id }) => id);
  const [first] = approvals;
  const rows = approvals.map((approval) => (
    <Row key={approval.id} approval={approval} isTicked={ticked.has(approval.id)} onTick={onTick} />
  ));
  if (!first || approvals.length === 1) return <ul class="approvals-batch">{rows}</ul>;
  const isCode = approvals.every(({ route }) => route === "code");
  const title = `${plural(approvals.length, "call")} ${isCode ? "from one code run" : "from one request"}`;
  return (
    <section class="approvals-batch approvals-together" aria-label={title}>
      <header class="approvals-batch-head">
        <Checkbox
          label={title}
          isChecked={ids.every((id) => ticked.has(id))}
          onChange={(isTicked) => onTick(ids, isTicked)}
        />
      </header>
      <ul>{rows}</ul>
    </section>
  );
}

function Row(
  props: Pick<Ticking, "onTick"> & { readonly approval: Approval; readonly isTicked: boolean },
): JSX.Element {
  const { approval, isTicked, onTick } = props;
  const { id, question, tool, server, input, route, askedAt, expiresAt } = approval;
  return (
    <li class={isTicked ? "approvals-row approvals-ticked" : "approvals-row"} data-approval={id}>
      <Checkbox
        label={`Select ${shownText(question)}`}
        isLabelHidden
        isChecked={isTicked}
        onChange={(isOn) => onTick([id], isOn)}
      />
      <div class="approvals-what">
        <a class="approvals-open" href={href("approvals", [id])}>
          <Text value={question} maxLength={300} isFixed />
        </a>
        <div class="approvals-call mono">
          <span class="strong">
            <Text value={tool} maxLength={80} isFixed />
          </span>{" "}
          <span class="muted">
            <Text value={JSON.stringify(input) ?? ""} maxLength={220} isFixed />
          </span>
        </div>
        <div class="approvals-who small muted">
          <Caller agent={approval.agent} principal={approval.principal} />
          <span>
            on <Text value={server} maxLength={60} isFixed />
          </span>
          <Badge>{route}</Badge>
        </div>
      </div>
      <div class="approvals-when small">
        <span class="muted">
          requested <Time at={askedAt} />
        </span>
        <TimeLeft until={expiresAt} />
      </div>
    </li>
  );
}
