import { BiplaneError, allow, ask } from "@biplane/core";
import type { Call, Decision, Policy } from "@biplane/core";
import type { ScriptLibrary } from "./library.ts";
import type { ScriptSettings } from "./options.ts";
import { scriptFrom, subjectOf } from "./script.ts";
import type { Script } from "./script.ts";
import { isAllowlisted, approvalStateOf } from "./approval-state.ts";

export interface ScriptGate {
  readonly policy: Policy;
  /** The script kept for this call. Throws if the policy has not seen the call. */
  take(call: Call): Script;
}

/**
 * Reads and hashes the script of a call before approval, and keeps it. The kept text runs, not the file, so the file
 * cannot be swapped between approval and run.
 */
export function scriptGate(library: ScriptLibrary, settings: ScriptSettings): ScriptGate {
  /** Keyed by the identity of the call. */
  const keptScripts = new WeakMap<object, Script | BiplaneError>();
  const policy: Policy = async (_agent, toolName, input, { identity }) => {
    if (!["script_run", "script_exec", ...settings.tools].includes(toolName)) return allow();
    keptScripts.delete(identity);
    const { name = "", code = "" } = input as { name?: string; code?: string };
    try {
      const script =
        toolName === "script_exec"
          ? scriptOf(code, settings.maxSourceBytes)
          : await library.read(toolName === "script_run" ? name : toolName);
      const decision = await decide(script, settings);
      keptScripts.set(identity, script);
      return decision;
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      // There is nothing to approve. The tool reports the error.
      keptScripts.set(identity, error);
      return allow();
    }
  };
  Object.defineProperty(policy, "name", { value: "script approvals" });
  return {
    policy,
    take: ({ identity }) => {
      const kept = keptScripts.get(identity);
      if (kept instanceof BiplaneError) throw kept;
      if (kept) return kept;
      throw new BiplaneError("POLICY_DENIED", "The pack's policy has not checked this script, so it does not run.");
    },
  };
}

async function decide(script: Script, settings: ScriptSettings): Promise<Decision> {
  if (isAllowlisted(script, settings.allowlist)) return allow();
  // Only the question's text depends on the status, so a failed lookup is harmless.
  const { status } = await approvalStateOf(script, settings).catch(() => ({ status: "pending" }) as const);
  const question =
    status === "modified"
      ? `Script '${script.file}' has been modified since approval. Re-approval required.`
      : `Script '${script.file}' is pending approval. An administrator must review and approve this script before it can be executed.`;
  return ask(question, { subject: subjectOf(script), byCaller: false, pendingMessage: question });
}

function scriptOf(code: string, maxBytes: number): Script {
  const bytes = Buffer.from(code);
  if (bytes.length > maxBytes) throw new BiplaneError("INVALID_INPUT", `The code is longer than ${maxBytes} bytes.`);
  return scriptFrom("exec", bytes, "script_exec");
}
