import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Answer, Approval } from "../../../../src/admin/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { place, setQuery } from "../../router.ts";
import { BatchRows } from "./batch-rows.tsx";
import { batchesOf } from "./batches.ts";
import { RejectDialog } from "./reject-dialog.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useAnswer } from "./use-answer.ts";
import type { Queue } from "./use-queue.ts";
import { useQueueKeys } from "./use-queue-keys.ts";

/** The queue: gone through row by row, or some of it ticked and answered together. */
export function WaitingList({ queue }: { readonly queue: Queue }): JSX.Element {
  const { query = "" } = place.value.query;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const [most, setMost] = useState(100);
  const list = useRef<HTMLDivElement>(null);
  const items = queue.items.filter((approval) => isAbout(approval, query));
  const shown = items.slice(0, most);
  // Only what is in sight counts as chosen: nothing is answered that a filter hides or that is over.
  const chosen = shown.filter(({ id }) => ticked.has(id));
  const answer = useAnswer(queue.reload);
  const give = async (said: Answer) => {
    if (answer.isBusy || chosen.length === 0) return;
    if (await answer.run({ approvals: chosen, answer: said })) setTicked(new Set());
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
        {queue.isLoading ? <Loading rows={5} /> : queue.error === undefined && <NothingWaits />}
      </>
    );
  return (
    <div class="stack-tight">
      {queue.error !== undefined && <Problem error={queue.error} retry={queue.reload} />}
      <div class="toolbar">
        <Search label="Question, tool, caller or input" value={query} onInput={(text) => setQuery({ query: text })} />
      </div>
      {answer.error !== undefined && <Problem error={answer.error} />}
      {shown.length > 0 && (
        <SelectionBar
          chosen={chosen.length}
          shown={shown.length}
          isBusy={answer.isBusy}
          onAnswer={(said) => void give(said)}
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
        <Empty title="Nothing that waits fits" icon="search">
          <Button size="small" onClick={() => setQuery({ query: undefined })}>
            Show all that wait
          </Button>
        </Empty>
      )}
      <div ref={list} class="approvals-queue" onKeyDown={onKey}>
        {batchesOf(shown).map((batch) => (
          <BatchRows key={batch.key} batch={batch} ticked={ticked} onTick={tick} />
        ))}
      </div>
      {items.length > most && <Button onClick={() => setMost(most * 4)}>{plural(items.length - most, "more")}</Button>}
      {queue.isCut && <p class="muted">More calls wait than are shown: these are the newest.</p>}
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

const chooseFirst = "Nothing is selected: open a call, or select some with x";

function isAbout({ question, tool, server, agent, principal, input }: Approval, query: string): boolean {
  if (query === "") return true;
  const text = [question, tool, server, agent.agentId, agent.model ?? "", principal.id, JSON.stringify(input) ?? ""];
  return text.some((each) => each.toLowerCase().includes(query.toLowerCase()));
}

function NothingWaits(): JSX.Element {
  return (
    <Empty title="Nothing waits" icon="approvals">
      When a policy says <code>ask</code>, the call shows up here as it is made, and the agent hears your answer.
    </Empty>
  );
}
