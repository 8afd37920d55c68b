import type { Approval } from "../../../../src/admin/approvals/approval.ts";

/** Calls that one request of one caller made: those of a piece of agent code, mostly. */
export interface Batch {
  readonly key: string;
  readonly approvals: readonly Approval[];
}

/** In batches, the one that waits longest first; one of a batch brings the others along. */
export function batchesOf(approvals: readonly Approval[]): readonly Batch[] {
  const batches = new Map<string, Approval[]>();
  for (const approval of [...approvals].sort(oldestFirst)) {
    const key = batchKey(approval);
    const others = batches.get(key);
    if (others) others.push(approval);
    else batches.set(key, [approval]);
  }
  return Array.from(batches, ([key, members]) => ({ key, approvals: members }));
}

/** The same, without the batches around them: the order in which they are gone through. */
export function inOrder(approvals: readonly Approval[]): readonly Approval[] {
  return batchesOf(approvals).flatMap((batch) => batch.approvals);
}

/** What a caller calls its request is its own affair: two callers never share a batch. */
export function batchKey({ principal, server, batch }: Approval): string {
  return JSON.stringify([server, principal.kind, principal.id, batch]);
}

function oldestFirst(one: Approval, other: Approval): number {
  return one.askedAt < other.askedAt ? -1 : one.askedAt > other.askedAt ? 1 : one.id < other.id ? -1 : 1;
}
