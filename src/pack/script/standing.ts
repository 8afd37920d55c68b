import type { AllowedScript } from "./options.ts";
import type { Script } from "./script.ts";

export type ScriptStatus = "pending" | "approved" | "rejected" | "modified";

/** What has been decided about the exact bytes of a script, by whom and when. */
export interface Standing {
  readonly status: ScriptStatus;
  readonly by?: string | undefined;
  readonly at?: string | undefined;
  readonly reason?: string | undefined;
}

/** What people have decided about scripts. It informs; whether a script runs is for the server's approver to say. */
export interface ScriptApprovals {
  standing(script: Pick<Script, "file" | "sha256">): Promise<Standing>;
}

/** Whether the operator has allowed exactly these bytes under this name. */
export function isAllowed(script: Script, allowlist: readonly AllowedScript[]): boolean {
  return allowlist.some(({ name, sha256 }) => name === script.name && bare(sha256) === script.sha256);
}

export async function standingOf(
  script: Script,
  { allowlist, approvals }: { allowlist: readonly AllowedScript[]; approvals?: ScriptApprovals | undefined },
): Promise<Standing> {
  if (isAllowed(script, allowlist)) return { status: "approved", by: "the allowlist" };
  const standing: Standing = (await approvals?.standing(script)) ?? { status: "pending" };
  const wasAllowed = standing.status === "pending" && allowlist.some(({ name }) => name === script.name);
  return wasAllowed ? { status: "modified" } : standing;
}

function bare(sha256: string): string {
  return sha256.replace(/^sha256:/, "");
}
