import type { Answer, Approval } from "../../../../src/admin/approvals/approval.ts";
import { ask } from "../../api.ts";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { usePost } from "../../resource.ts";
import type { Deed } from "../../resource.ts";
import { shownText } from "./shown-text.ts";

export interface Answering {
  readonly approvals: readonly Approval[];
  readonly answer: Answer;
}

/** Answers some calls, all or none of them, and says in passing what was done. */
export function useAnswer(onDone: (answered: readonly Approval[]) => void): Deed<Answering, readonly Approval[]> {
  return usePost(async ({ approvals, answer }: Answering) => {
    const body = { ids: approvals.map(({ id }) => id), ...answer };
    try {
      const { approvals: answered } = await ask<{ approvals: readonly Approval[] }>("POST /api/approvals/answer", {
        body,
      });
      toast(saidOf(approvals, answer));
      onDone(answered);
      return answered;
    } catch (error) {
      // Somebody was quicker, or it is over: what still waits is looked at again.
      onDone([]);
      throw error;
    }
  });
}

function saidOf(approvals: readonly Approval[], answer: Answer): string {
  const [only] = approvals;
  const what = only && approvals.length === 1 ? shownText(only.tool) : plural(approvals.length, "call");
  if (answer.verdict === "reject") return `Rejected ${what}`;
  const { hold } = answer;
  if (hold === undefined || hold.kind === "once") return `Approved ${what} once`;
  const whom = hold.for === "everyone" ? "everyone" : "this caller";
  return hold.kind === "always" ? `Approved ${what} always, for ${whom}` : `Approved ${what} by a pattern, for ${whom}`;
}
