/** The approval id in a response of any transport. */
export function approvalIn(received: string): string | undefined {
  return /"approval"\s*:\s*\{[^{}]*?"id"\s*:\s*"([\w-]{1,200})"/.exec(received)?.[1];
}
