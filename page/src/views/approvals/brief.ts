import { signal } from "@preact/signals";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";

/** How much of a call its card shows. */
export const briefLengths = { question: 300, tool: 80, input: 240 } as const;

const readIds = signal<ReadonlySet<string>>(new Set());

/** True if a card shows everything that an approval covers, or the person has read it on the page of the call. */
export function isReadable(approval: Approval): boolean {
  return hiddenCharacters(approval) === 0 || readIds.value.has(approval.id);
}

/** Call it when the person has read the whole input of a call. */
export function markRead(id: string): void {
  if (!readIds.value.has(id)) readIds.value = new Set([...readIds.value, id]);
}

/** How many characters of a call its card does not show. */
export function hiddenCharacters({ question, tool, input, subject }: Approval): number {
  const over = (text: string, most: number) => Math.max(0, text.length - most);
  return (
    over(question, briefLengths.question) +
    over(tool, briefLengths.tool) +
    over(briefInput(input), briefLengths.input) +
    (subject === undefined || subject === null ? 0 : briefInput(subject).length)
  );
}

export function briefInput(input: unknown): string {
  return JSON.stringify(input) ?? "";
}
