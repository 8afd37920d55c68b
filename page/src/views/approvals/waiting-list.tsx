import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { BatchRows } from "./batch-rows.tsx";
import { batchesOf } from "./batches.ts";
import { RejectDialog } from "./reject-dialog.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useAnswer } from "./use-answer.ts";
import type { Queue } from "./use-queue.ts";
import { useQueueKeys } from "./use-queue-keys.ts";

/** The waiting calls, answered one by one or as a selection. */
export function WaitingList({ queue }: { readonly queue: Queue }): JSX.Element {
  const { query = "" } = pageLocation.value.query;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const [maxShown, setMaxShown] = useState(100);
  const list = useRef<HTMLDivElement>(null);
  const items = queue.items.filter((approval) => isAbout(approval, query));
  const shown = items.slice(0, maxShown);
  // Only visible calls count as selected, so that hidden and expired calls are never answered.
  const chosen = shown.filter(({ id }) => ticked.has(id));
  const answer = useAnswer(queue.reload);
  const give = async (given: ApprovalAnswer) => {
    if (answer.isBusy || chosen.length === 0) return;
    if (await answer.run({ approvals: chosen, answer: given })) setTicked(new Set());
    setRejecting(false);
  };
  const tick = (ids: readonly string[], isTicked: boolean) => {
    const next = new Set(ticked);
    for (const id of ids)
      if (isTicked) next.add(id);
      else next.delete(id);
    setTicked(next);
  };
  const onKey = useQueueKeys(list, {
    toggle: (id) => tick([id], !ticked.has(id)),
    approve: () => (chosen.length > 0 ? void give({ verdict: "approve" }) : toast(chooseFirst, "bad")),
    reject: () => (chosen.length > 0 ? setRejecting(true) : toast(chooseFirst, "bad")),
  });
  if (queue.items.length === 0)
    return (
      <>
        {queue.error !== undefined && <Problem error={queue.error} retry={queue.reload} />}
        {queue.isLoading ? <Loading rows={5} /> : queue.error === undefined && <NoWaitingCalls />}
      </>
    );
  return (
    <div class="stack-tight">
      {queue.error !== undefined && <Problem error={queue.error} retry={queue.reload} />}
      <div class="toolbar">
        <Search
          label="Search question, tool, caller or input"
          value={query}
          onInput={(text) => setQuery({ query: text })}
        />
      </div>
      {answer.error !== undefined && <Problem error={answer.error} />}
      {shown.length > 0 && (
        <SelectionBar
          chosen={chosen.length}
          shown={shown.length}
          isBusy={answer.isBusy}
          onAnswer={(given) => void give(given)}
          onReject={() => setRejecting(true)}
          onAll={(isAll) =>
            tick(
              shown.map(({ id }) => id),
              isAll,
            )
          }
        />
      )}
      {items.length === 0 && (
        <Empty title="No matching calls" icon="search">
          <Button size="small" onClick={() => setQuery({ query: undefined })}>
            Show all waiting calls
          </Button>
        </Empty>
      )}
      <div ref={list} class="approvals-queue" onKeyDown={onKey}>
        {batchesOf(shown).map((batch) => (
          <BatchRows key={batch.key} batch={batch} ticked={ticked} onTick={tick} />
        ))}
      </div>
      {items.length > maxShown && (
        <Button onClick={() => setMaxShown(maxShown * 4)}>{plural(items.length - maxShown, "more call")}</Button>
      )}
      {queue.isCut && <p class="muted">More calls are waiting than shown. These are the newest.</p>}
      {isRejecting && chosen.length > 0 && (
        <RejectDialog
          what={plural(chosen.length, "call")}
          isBusy={answer.isBusy}
          onReject={(reason) => void give({ verdict: "reject", reason })}
          onClose={() => setRejecting(false)}
        />
      )}
    </div>
  );
}

const chooseFirst = "Nothing is selected. Open a call, or select calls with x.";

function isAbout({ question, tool, server, agent, principal, input }: Approval, query: string): boolean {
  if (query === "") return true;
  const text = [question, tool, server, agent.agentId, agent.model ?? "", principal.id, JSON.stringify(input) ?? ""];
  return text.some((each) => each.toLowerCase().includes(query.toLowerCase()));
}

function NoWaitingCalls(): JSX.Element {
  return (
    <Empty title="No calls are waiting" icon="approvals">
      When a policy returns <code>ask</code>, the call appears here, and the agent waits for your decision.
    </Empty>
  );
}
