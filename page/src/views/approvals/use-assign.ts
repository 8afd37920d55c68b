import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { callApi } from "../../api.ts";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import type { Mutation } from "../../resource.ts";
import { shownText } from "./shown-text.ts";

export interface Assignment {
  readonly approvals: readonly Approval[];
  readonly to: string | null;
}

/** Names the person who should answer calls. */
export function useAssign(onDone: () => void): Mutation<Assignment, void> {
  return useMutation(async ({ approvals, to }: Assignment) => {
    try {
      await callApi("POST /api/approvals/assign", { body: { ids: approvals.map(({ id }) => id), to } });
      toast(to === null ? "Removed the assignment" : `Assigned to ${shownText(to)}`);
    } finally {
      onDone();
    }
  });
}
