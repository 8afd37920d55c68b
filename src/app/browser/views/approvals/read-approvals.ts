/** A call as the page shows it. */
export interface Approval {
  readonly id: string;
  readonly status: Status;
  readonly tool: string;
  readonly question: string;
  readonly input: unknown;
  readonly askedAt: number;
  readonly reason: string | undefined;
  readonly link: string | undefined;
}

export type Status = (typeof statuses)[number];
const statuses = ["waiting", "approved", "used", "rejected", "expired"] as const;

/** Reads what the tools answer: `{ approvals: [...] }`. */
export function readApprovals(value: unknown): Approval[] | undefined {
  const list = (value as { approvals?: unknown } | undefined)?.approvals;
  if (!Array.isArray(list)) return undefined;
  return list.slice(0, 100).flatMap((each: unknown) => {
    const { id, status, tool, question, input, askedAt, reason, link } = (each ?? {}) as Record<string, unknown>;
    const known = statuses.find((one) => one === status);
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
