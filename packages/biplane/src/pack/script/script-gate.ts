import { BiplaneError, allow, ask } from "@biplane/core";
import type { Call, Decision, Policy } from "@biplane/core";
import type { ScriptLibrary } from "./library.ts";
import type { ScriptSettings } from "./options.ts";
import { scriptFrom, subjectOf } from "./script.ts";
import type { Script } from "./script.ts";
import { isAllowlisted, approvalStateOf } from "./approval-state.ts";

/** For each tool: finds the script that an input would run. */
export type ScriptResolvers = ReadonlyMap<string, (input: Readonly<Record<string, unknown>>) => Promise<Script>>;

/**
 * Reads and hashes the script of a call before approval, and keeps it. The kept text runs, not the file, so the file
 * cannot be swapped between approval and run.
 */
export class ScriptGate {
  /** Keyed by the identity of the call. */
  readonly #kept = new WeakMap<object, Script | BiplaneError>();
  readonly #resolvers: ScriptResolvers;
  readonly #settings: Pick<ScriptSettings, "allowlist" | "approvals">;

  constructor(resolvers: ScriptResolvers, settings: Pick<ScriptSettings, "allowlist" | "approvals">) {
    this.#resolvers = resolvers;
    this.#settings = settings;
    Object.defineProperty(this.policy, "name", { value: "script approvals" });
  }

  readonly policy: Policy = async (_agent, toolName, input, { identity }) => {
    const find = this.#resolvers.get(toolName);
    if (!find) return allow();
    this.#kept.delete(identity);
    try {
      const script = await find(input as Readonly<Record<string, unknown>>);
      const decision = await this.#decide(script);
      this.#kept.set(identity, script);
      return decision;
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      // There is nothing to approve. The tool reports the error.
      this.#kept.set(identity, error);
      return allow();
    }
  };

  /** The script kept for this call. Throws if the policy has not seen the call. */
  take({ identity }: Call): Script {
    const kept = this.#kept.get(identity);
    if (kept instanceof BiplaneError) throw kept;
    if (kept) return kept;
    throw new BiplaneError("POLICY_DENIED", "The pack's policy has not checked this script, so it does not run.");
  }

  async #decide(script: Script): Promise<Decision> {
    if (isAllowlisted(script, this.#settings.allowlist)) return allow();
    // Only the question's text depends on the status, so a failed lookup is harmless.
    const { status } = await approvalStateOf(script, this.#settings).catch(() => ({ status: "pending" }) as const);
    const question =
      status === "modified"
        ? `Script '${script.file}' has been modified since approval. Re-approval required.`
        : `Script '${script.file}' is pending approval. An administrator must review and approve this script before it can be executed.`;
    return ask(question, { subject: subjectOf(script), byCaller: false, pendingMessage: question });
  }
}

/** `script_run` runs the named file, `script_exec` its own code, and a script tool its script. */
export function scriptResolvers(library: ScriptLibrary, { tools, maxSourceBytes }: ScriptSettings): ScriptResolvers {
  return new Map<string, (input: Readonly<Record<string, unknown>>) => Promise<Script>>([
    ["script_run", ({ name }) => library.read(name as string)],
    ["script_exec", async ({ code }) => scriptOf(code as string, maxSourceBytes)],
    ...tools.map((name) => [name, () => library.read(name)] as const),
  ]);
}

function scriptOf(code: string, maxBytes: number): Script {
  const bytes = Buffer.from(code);
  if (bytes.length > maxBytes) throw new BiplaneError("INVALID_INPUT", `The code is longer than ${maxBytes} bytes.`);
  return scriptFrom("exec", bytes, "script_exec");
}
