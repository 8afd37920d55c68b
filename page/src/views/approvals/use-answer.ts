import type { ApprovalAnswer, Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { callApi } from "../../api.ts";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { useMutation } from "../../resource.ts";
import type { Mutation } from "../../resource.ts";
import { shownText } from "./shown-text.ts";

export interface Answering {
  readonly approvals: readonly Approval[];
  readonly answer: ApprovalAnswer;
}

/** Answers several calls at once, all or none, and confirms it with a toast. */
export function useAnswer(onDone: (answered: readonly Approval[]) => void): Mutation<Answering, readonly Approval[]> {
  return useMutation(async ({ approvals, answer }: Answering) => {
    const body = { ids: approvals.map(({ id }) => id), ...answer };
    try {
      const { approvals: answered } = await callApi("POST /api/approvals/answer", { body });
      toast(confirmationText(approvals, answer));
      onDone(answered);
      return answered;
    } catch (error) {
      // Another person answered first, or the call expired: reload the queue.
      onDone([]);
      throw error;
    }
  });
}

function confirmationText(approvals: readonly Approval[], answer: ApprovalAnswer): string {
  const [only] = approvals;
  const what = only && approvals.length === 1 ? shownText(only.tool) : plural(approvals.length, "call");
  if (answer.verdict === "reject") return `Rejected ${what}`;
  const { scope } = answer;
  if (scope === undefined || scope.kind === "once") return `Approved ${what} once`;
  const whom = scope.for === "everyone" ? "everyone" : "this caller";
  return scope.kind === "always" ? `Approved ${what} always, for ${whom}` : `Approved ${what} by pattern, for ${whom}`;
}
