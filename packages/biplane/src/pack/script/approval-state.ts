import type { AllowedScript } from "./options.ts";
import type { Script } from "./script.ts";

/** Every approval status of a script. */
export const scriptStatuses = ["pending", "approved", "rejected", "modified"] as const;
export type ScriptStatus = (typeof scriptStatuses)[number];

/** The decision about a script's exact content: by whom and when. */
export interface ScriptApprovalState {
  readonly status: ScriptStatus;
  readonly by?: string | undefined;
  readonly at?: string | undefined;
  readonly reason?: string | undefined;
  /** The last approval of another version, of a modified script. */
  readonly last?: { readonly by: string; readonly at: string } | undefined;
}

/** Looks up past decisions, for display only. The server's approver decides whether a script runs. */
export interface ScriptApprovals {
  stateOf(script: Pick<Script, "file" | "sha256">): Promise<ScriptApprovalState>;
}

/** True if the allowlist has this name alone, or with this hash. */
export function isAllowlisted(script: Script, allowlist: Allowlist): boolean {
  return allowlist.some((entry) => {
    const sha256 = typeof entry === "string" ? undefined : entry.sha256.replace(/^sha256:/, "");
    return nameOf(entry) === script.name && (sha256 === undefined || sha256 === script.sha256);
  });
}

export async function approvalStateOf(
  script: Script,
  { allowlist, approvals }: { allowlist: Allowlist; approvals?: ScriptApprovals | undefined },
): Promise<ScriptApprovalState> {
  if (isAllowlisted(script, allowlist)) return { status: "approved", by: "the allowlist" };
  const state: ScriptApprovalState = (await approvals?.stateOf(script)) ?? { status: "pending" };
  const wasAllowed = state.status === "pending" && allowlist.some((entry) => nameOf(entry) === script.name);
  return wasAllowed ? { status: "modified" } : state;
}

type Allowlist = readonly (string | AllowedScript)[];

function nameOf(entry: string | AllowedScript): string {
  return (typeof entry === "string" ? entry : entry.name).replace(/\.star$/, "");
}
