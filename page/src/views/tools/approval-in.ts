/** The id of the approval that an answer speaks of, whichever wire wrote it. */
export function approvalIn(received: string): string | undefined {
  return /"approval"\s*:\s*\{[^{}]*?"id"\s*:\s*"([\w-]{1,200})"/.exec(received)?.[1];
}
