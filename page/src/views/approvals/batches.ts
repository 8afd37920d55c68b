import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";

/** Approvals that are shown together. */
export interface Batch {
  readonly key: string;
  readonly approvals: readonly Approval[];
}

/** What waiting calls are grouped by. A request is usually one code run. */
export type Grouping = "request" | "tool" | "caller" | "rule";

/** Groups approvals, longest waiting first. */
export function batchesOf(approvals: readonly Approval[], grouping: Grouping = "request"): readonly Batch[] {
  const batches = new Map<string, Approval[]>();
  for (const approval of [...approvals].sort(oldestFirst)) {
    const key = keys[grouping](approval);
    const others = batches.get(key);
    if (others) others.push(approval);
    else batches.set(key, [approval]);
  }
  return Array.from(batches, ([key, members]) => ({ key, approvals: members }));
}

/** All approvals in the order of their batches. */
export function inOrder(approvals: readonly Approval[]): readonly Approval[] {
  return batchesOf(approvals).flatMap((batch) => batch.approvals);
}

/** Includes the caller, because request ids are only unique per caller. */
export function batchKey({ principal, server, batch }: Approval): string {
  return JSON.stringify([server, principal.kind, principal.id, batch]);
}

const keys: { readonly [By in Grouping]: (approval: Approval) => string } = {
  request: batchKey,
  tool: ({ server, tool }) => JSON.stringify([server, tool]),
  caller: ({ principal }) => JSON.stringify([principal.kind, principal.id]),
  rule: ({ rules = [] }) => JSON.stringify(rules),
};

function oldestFirst(one: Approval, other: Approval): number {
  return one.askedAt < other.askedAt ? -1 : one.askedAt > other.askedAt ? 1 : one.id < other.id ? -1 : 1;
}
