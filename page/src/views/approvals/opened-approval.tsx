import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type {
  Approval,
  ApprovalAnswer,
  ApprovalScope,
} from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayUse } from "../../access.ts";
import { Button } from "../../components/button.tsx";
import { Page } from "../../components/page.tsx";
import { useReading } from "../../components/read-to-end.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { toast } from "../../components/toast.tsx";
import { useEvents } from "../../events.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { go, href } from "../../router.ts";
import { useShortcut } from "../../shortcuts.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { AnswerBar } from "./answer-bar.tsx";
import { AnswerDialog } from "./answer-dialog.tsx";
import { AssignCard } from "./assign-card.tsx";
import { AssigneeBadge } from "./assignee-badge.tsx";
import { markRead } from "./brief.ts";
import { CallFacts } from "./call-facts.tsx";
import { Covers } from "./covers.tsx";
import { Decision } from "./decision.tsx";
import { DestructiveBadge } from "./destructive-badge.tsx";
import { InputCard, isLong } from "./input-card.tsx";
import { OutputCard } from "./output-card.tsx";
import { isOwnCall } from "./own-call.ts";
import { PatternDialog } from "./pattern-dialog.tsx";
import { Previous } from "./previous.tsx";
import { RecentCalls } from "./recent-calls.tsx";
import { shownText } from "./shown-text.ts";
import { Siblings } from "./siblings.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { TimeLeft } from "./time-left.tsx";
import { useAnswer } from "./use-answer.ts";
import type { Queue } from "./use-queue.ts";
import { useDestructive } from "./use-destructive.ts";
import { useRanCall } from "./use-ran-call.ts";

/** One approval: the exact input, what an approval covers, and the possible answers. */
export function OpenedApproval({ id, queue }: { readonly id: string; readonly queue: Queue }): JSX.Element {
  const resource = useResource("/api/approvals/:id", { id });
  const [isAsking, setAsking] = useState<"reject" | "pattern">();
  useEvents("approvals", resource.reload);
  const answer = useAnswer((answered) => {
    queue.reload();
    const own = answered.find((each) => each.id === id);
    if (own) resource.replace(own);
    else resource.reload();
  });
  const { data } = resource;
  const ran = useRanCall(data);
  const isDestructive = useDestructive();
  // Back to the tab that the call was in when it was opened.
  const wasAnswered = useRef<boolean>(undefined);
  if (data) wasAnswered.current ??= data.status !== "waiting";
  const hasSubject = data?.subject !== undefined && data.subject !== null;
  const reading = useReading(hasSubject ? ["input", "subject"] : ["input"]);
  useEffect(() => {
    if (reading.isDone) markRead(id);
  }, [reading.isDone]);
  const mayAnswer = mayUse("approvals");
  const canAnswer = mayAnswer && data?.status === "waiting" && !answer.isBusy;
  const isNarrow = !useIsWide(960);
  const steps = <Steps id={id} queue={queue} />;
  const [comment, setComment] = useState("");
  const give = async (given: ApprovalAnswer, approvals: readonly Approval[] = data ? [data] : []) => {
    if (!canAnswer || approvals.length === 0) return;
    if (given.verdict === "approve" && !reading.isDone) return toast("Read the input to its end to approve.", "bad");
    if (await answer.run({ approvals, answer: given })) setAsking(undefined);
  };
  const approve = (scope?: ApprovalScope) =>
    void give({ verdict: "approve", ...(scope && { scope }), ...(comment.trim() !== "" && { comment }) });
  useShortcut("a", "Approve this call once", () => approve());
  useShortcut("r", "Reject this call", () => canAnswer && setAsking("reject"));
  useShortcut("Escape", "Back to the queue", () => go(href("approvals")));
  return (
    <Page
      title={data ? shownText(firstLineOf(data.question), titleMost) : "Approval"}
      aside={
        data && (
          <>
            <StatusBadge approval={data} />
            {isDestructive(data) && <DestructiveBadge />}
            {data.status === "waiting" && (
              <>
                <span class="small">
                  <TimeLeft until={data.expiresAt} />
                </span>
                <AssigneeBadge approval={data} />
              </>
            )}
          </>
        )
      }
      parent={{
        title: wasAnswered.current === true ? "Answered" : "Approvals",
        href: href("approvals", [], wasAnswered.current === true ? { tab: "answered" } : {}),
        aside: isNarrow && <span class="approvals-steps">{steps}</span>,
      }}
      actions={!isNarrow && steps}
    >
      <Loaded resource={resource} rows={8}>
        {(approval) => (
          <>
            {restOf(approval.question) !== "" && (
              <p class="approvals-question">
                <Text value={restOf(approval.question)} isBlock maxLength={Infinity} />
              </p>
            )}
            <div class="split split-side approvals-opened">
              <div class="stack">
                <div class={`approvals-inputs ${isLong(approval.input) ? "approvals-inputs-long" : ""}`}>
                  <InputCard approval={approval} reading={reading} />
                  {ran.line && <OutputCard line={ran.line} />}
                  <Previous approval={approval} />
                </div>
                {approval.status !== "rejected" && <Covers approval={approval} reading={reading} />}
                <RecentCalls approval={approval} />
              </div>
              <div class="stack">
                <Decision
                  approval={approval}
                  ran={ran}
                  reading={reading}
                  isBusy={answer.isBusy}
                  error={isAsking === undefined ? answer.error : undefined}
                  comment={comment}
                  onComment={setComment}
                  onApprove={approve}
                  onReject={() => setAsking("reject")}
                  onPattern={() => setAsking("pattern")}
                />
                <CallFacts approval={approval} />
                {approval.status === "waiting" && mayAnswer && (
                  <AssignCard approval={approval} onDone={resource.reload} />
                )}
                <Siblings
                  approval={approval}
                  queue={queue}
                  isBusy={answer.isBusy}
                  onApprove={(all) => void give({ verdict: "approve" }, all)}
                />
              </div>
            </div>
            {isNarrow && approval.status === "waiting" && mayAnswer && !isOwnCall(approval) && (
              <AnswerBar
                approval={approval}
                reading={reading}
                isBusy={answer.isBusy}
                onApprove={() => approve()}
                onReject={() => setAsking("reject")}
              />
            )}
            {isAsking === "reject" && approval.status === "waiting" && (
              <AnswerDialog
                verdict="reject"
                what="the call"
                isBusy={answer.isBusy}
                error={answer.error}
                onAnswer={(given) => void give(given)}
                onClose={() => setAsking(undefined)}
              />
            )}
            {isAsking === "pattern" && approval.status === "waiting" && (
              <PatternDialog
                approval={approval}
                isBusy={answer.isBusy}
                error={answer.error}
                onApprove={(scope) => void give({ verdict: "approve", scope })}
                onClose={() => setAsking(undefined)}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const titleMost = 160;

function firstLineOf(question: string): string {
  return question.split("\n", 1)[0] ?? "";
}

/** What the heading does not show: the other lines, or everything if the first line is too long for it. */
function restOf(question: string): string {
  const first = firstLineOf(question);
  return first.length > titleMost ? question : question.slice(first.length + 1);
}

/** Moves between calls. An answer does not open the next call, so that a key pressed twice cannot answer it. */
function Steps({ id, queue: { items } }: { readonly id: string; readonly queue: Queue }): JSX.Element | null {
  const found = items.findIndex((each) => each.id === id);
  const last = useRef<number>(undefined);
  if (found >= 0) last.current = found;
  const before = items[(found >= 0 ? found : (last.current ?? 0)) - 1];
  const after = items[found >= 0 ? found + 1 : (last.current ?? 0)];
  const open = (approval: Approval | undefined) => approval && go(href("approvals", [approval.id]));
  useShortcut("j", "Next waiting call", () => open(after));
  useShortcut("k", "Previous waiting call", () => open(before));
  // A call that was answered before has no place among those that wait.
  if (last.current === undefined) return null;
  return (
    <>
      <span class="muted small num">
        {found >= 0 ? `${found + 1} of ${items.length}` : items.length > 0 && `${count(items.length)} waiting`}
      </span>
      <Button icon="up" label="Previous call (k)" isDisabled={!before} onClick={() => open(before)} />
      <Button icon="down" label="Next call (j)" isDisabled={!after} onClick={() => open(after)} />
    </>
  );
}
