/** Those whose service is measured. */
export const honest = ["ada", "barbara", "katherine"] as const;

/** The one who does harm. */
export const hostile = "mallory";

export function tokenOf(principal: string): string {
  return `${principal}-token-of-the-soak-0123456789`;
}
