import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { person } from "../../session.ts";

/** True if the signed-in person made the call. Another person must answer it. */
export function isOwnCall({ principal }: Approval): boolean {
  const who = person.value;
  return principal.kind === "person" && typeof who !== "string" && principal.id === who.name;
}
