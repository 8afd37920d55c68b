import { approvalStatuses } from "../../../../tool/approval-status.ts";
import type { ApprovalStatus } from "../../../../tool/approval-status.ts";

/** A call in the approval queue. */
export interface ApprovalItem {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly tool: string;
  readonly question: string;
  readonly input: unknown;
  readonly askedAt: number;
  readonly reason: string | undefined;
  readonly link: string | undefined;
}

/** Reads the result of the approval tools: `{ approvals: [...] }`. */
export function readApprovals(value: unknown): ApprovalItem[] | undefined {
  const list = (value as { approvals?: unknown } | undefined)?.approvals;
  if (!Array.isArray(list)) return undefined;
  return list.slice(0, 100).flatMap((each: unknown) => {
    const { id, status, tool, question, input, askedAt, reason, link } = (each ?? {}) as Record<string, unknown>;
    const known = approvalStatuses.find((one) => one === status);
    if (typeof id !== "string" || typeof tool !== "string" || !known) return [];
    return [
      {
        id,
        status: known,
        tool,
        question: typeof question === "string" ? question : "",
        input,
        askedAt: Date.parse(String(askedAt)),
        reason: typeof reason === "string" ? reason : undefined,
        link: typeof link === "string" ? link : undefined,
      },
    ];
  });
}
