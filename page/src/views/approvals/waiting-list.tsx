import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ApprovalAnswer, Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayRead, mayUse } from "../../access.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { person } from "../../session.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { AnswerDialog } from "./answer-dialog.tsx";
import { BatchRows } from "./batch-rows.tsx";
import { batchesOf } from "./batches.ts";
import type { Grouping } from "./batches.ts";
import { isReadable } from "./brief.ts";
import { SelectionActions, SelectionBar } from "./selection-bar.tsx";
import { useAnswer } from "./use-answer.ts";
import { useDestructive } from "./use-destructive.ts";
import { useAssign } from "./use-assign.ts";
import type { Queue } from "./use-queue.ts";
import { useQueueKeys } from "./use-queue-keys.ts";
import { useHasNoRules, WriteRule } from "./write-rule.tsx";

/** The waiting calls, answered one by one or as a selection. */
export function WaitingList({ queue }: { readonly queue: Queue }): JSX.Element {
  const { query = "", group = "", mine = "" } = pageLocation.value.query;
  const grouping = groupings.find(({ value }) => value === group)?.value ?? "request";
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<Asking>();
  const [maxShown, setMaxShown] = useState(100);
  const list = useRef<HTMLDivElement>(null);
  const items = queue.items.filter((approval) => isAbout(approval, query) && (mine === "" || isMine(approval)));
  const shown = items.slice(0, maxShown);
  // Only visible calls count as selected, so that hidden and expired calls are never answered.
  const chosen = shown.filter(({ id }) => ticked.has(id));
  const mayAnswer = mayUse("approvals");
  const isDestructive = useDestructive();
  const isWide = useIsWide(960);
  const answer = useAnswer(queue.reload);
  const assign = useAssign(queue.reload);
  const give = async (given: ApprovalAnswer, approvals: readonly Approval[] = chosen) => {
    if (answer.isBusy || approvals.length === 0) return;
    if (given.verdict === "approve" && !approvals.every(isReadable)) return toast(readFirst, "bad");
    const answered = await answer.run({ approvals, answer: given });
    if (!answered) return;
    tick(
      answered.map(({ id }) => id),
      false,
    );
    setAsking(undefined);
  };
  const tick = (ids: readonly string[], isTicked: boolean) => {
    const next = new Set(ticked);
    for (const id of ids)
      if (isTicked) next.add(id);
      else next.delete(id);
    setTicked(next);
  };
  const onKey = useQueueKeys(list, {
    toggle: (id) => mayAnswer && tick([id], !ticked.has(id)),
    approve: () => (chosen.length > 0 ? void give({ verdict: "approve" }) : toast(whyNothing(mayAnswer), "bad")),
    reject: () =>
      chosen.length > 0 ? setAsking({ approvals: chosen, verdict: "reject" }) : toast(whyNothing(mayAnswer), "bad"),
  });
  const actions = (
    <SelectionActions
      chosen={chosen.length}
      unread={chosen.filter((each) => !isReadable(each)).length}
      destructive={chosen.filter(isDestructive).length}
      isBusy={answer.isBusy}
      onAnswer={(given) => void give(given)}
      onReject={() => setAsking({ approvals: chosen, verdict: "reject" })}
    />
  );
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
        <FilterSelect label="Group by" name="group" preset="request" value={grouping} choices={groupings} />
        {mayAnswer && (
          <Button
            isPressed={mine !== ""}
            icon="person"
            onClick={() => setQuery({ mine: mine === "" ? "1" : undefined })}
          >
            Mine
          </Button>
        )}
      </div>
      {answer.error !== undefined && asking === undefined && <Problem error={answer.error} />}
      {assign.error !== undefined && <Problem error={assign.error} />}
      {shown.length > 0 && mayAnswer && (
        <SelectionBar
          chosen={chosen.length}
          shown={shown.length}
          onAll={(isAll) =>
            tick(
              shown.map(({ id }) => id),
              isAll,
            )
          }
        >
          {isWide && actions}
        </SelectionBar>
      )}
      {items.length === 0 && (
        <Empty title="No matching calls" icon="search">
          <Button size="small" onClick={() => setQuery({ query: undefined, mine: undefined })}>
            Show all waiting calls
          </Button>
        </Empty>
      )}
      <div ref={list} class="approvals-queue" onKeyDown={onKey}>
        {batchesOf(shown, grouping).map((batch) => (
          <BatchRows
            key={batch.key}
            batch={batch}
            grouping={grouping}
            ticked={ticked}
            onTick={tick}
            mayAnswer={mayAnswer}
            isDestructive={isDestructive}
            isBusy={answer.isBusy}
            onApprove={(approval) => void give({ verdict: "approve" }, [approval])}
            onAsk={(approval, verdict) => setAsking({ approvals: [approval], verdict })}
            onAssign={(approval, to) => void assign.run({ approvals: [approval], to })}
          />
        ))}
      </div>
      {items.length > maxShown && (
        <Button onClick={() => setMaxShown(maxShown * 4)}>{plural(items.length - maxShown, "more call")}</Button>
      )}
      {queue.isCut && <p class="muted">More calls are waiting than shown. These are the newest.</p>}
      {!isWide && chosen.length > 0 && (
        <div class="approvals-answer-bar approvals-selected" role="group" aria-label="Answer the selected calls">
          {actions}
        </div>
      )}
      {asking && (
        <AnswerDialog
          verdict={asking.verdict}
          what={asking.approvals.length === 1 ? "the call" : plural(asking.approvals.length, "call")}
          isBusy={answer.isBusy}
          error={answer.error}
          onAnswer={(given) => void give(given, asking.approvals)}
          onClose={() => {
            answer.clear();
            setAsking(undefined);
          }}
        />
      )}
    </div>
  );
}

/** Calls whose answer needs a comment or a reason. */
interface Asking {
  readonly approvals: readonly Approval[];
  readonly verdict: "approve" | "reject";
}

const groupings: readonly { readonly value: Grouping; readonly title: string }[] = [
  { value: "request", title: "Group by request" },
  { value: "tool", title: "Group by tool" },
  { value: "caller", title: "Group by caller" },
  { value: "rule", title: "Group by rule" },
];

function isMine({ assignee }: Approval): boolean {
  const who = person.value;
  return typeof who !== "string" && assignee === who.name;
}

function whyNothing(mayAnswer: boolean): string {
  return mayAnswer
    ? "Nothing is selected. Open a call, or select calls with x."
    : "You can only view approvals. To answer them, you need the scope approvals.";
}

const readFirst = "Some of the selected calls are not shown in full. Open them to approve.";

function isAbout(approval: Approval, query: string): boolean {
  const { question, tool, server, agent, principal, input, assignee, rules = [] } = approval;
  if (query === "") return true;
  const words = [question, tool, server, agent.agentId, agent.model ?? "", principal.id, assignee ?? "", ...rules];
  const text = [...words, JSON.stringify(input) ?? ""];
  return text.some((each) => each.toLowerCase().includes(query.toLowerCase()));
}

function NoWaitingCalls(): JSX.Element {
  if (useHasNoRules())
    return (
      <Empty title="No calls are waiting" icon="approvals" actions={<WriteRule />}>
        There are no rules yet, so no call ever waits for a person.
      </Empty>
    );
  return (
    <Empty
      title="No calls are waiting"
      icon="check"
      tone="good"
      actions={mayRead("policies") && <LinkButton href={href("policies")}>View the rules</LinkButton>}
    >
      Every request is answered. New ones appear here at once.
    </Empty>
  );
}
