import { allow, ask } from "../../call/policy.ts";
import type { Decision, Policy } from "../../call/policy.ts";
import { BiplaneError } from "../../errors.ts";
import type { Library } from "./library.ts";
import type { ScriptSettings } from "./options.ts";
import { scriptFrom, subjectOf } from "./script.ts";
import type { Script } from "./script.ts";
import { isAllowed, standingOf } from "./standing.ts";

/** Which script each tool would run for an input. */
export type ScriptTools = ReadonlyMap<string, (input: Readonly<Record<string, unknown>>) => Promise<Script>>;

/**
 * Reads, hashes and keeps the script of a call before anyone is asked about it. What then runs is what was kept: the
 * file is not opened again, so nothing can be put in its place between the check and the use.
 */
export class Clearance {
  /** By the input that the policy saw and `run` gets: each call has an object of its own (see `ownInput`). */
  readonly #kept = new WeakMap<object, Script | BiplaneError>();
  readonly #tools: ScriptTools;
  readonly #settings: Pick<ScriptSettings, "allowlist" | "approvals">;

  constructor(tools: ScriptTools, settings: Pick<ScriptSettings, "allowlist" | "approvals">) {
    this.#tools = tools;
    this.#settings = settings;
  }

  readonly policy: Policy = async (_agent, toolName, input) => {
    const find = this.#tools.get(toolName);
    if (!find) return allow();
    const key = input as Readonly<Record<string, unknown>>;
    this.#kept.delete(key);
    try {
      const script = await find(key);
      const decision = await this.#decide(script);
      this.#kept.set(key, script);
      return decision;
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      // There is nothing to approve; the tool says why.
      this.#kept.set(key, error);
      return allow();
    }
  };

  /** What was kept for this call. Without a policy that has seen it there is nothing, and nothing runs. */
  take(input: unknown): Script {
    const kept = this.#kept.get(input as object);
    if (kept instanceof BiplaneError) throw kept;
    if (kept) return kept;
    throw new BiplaneError("POLICY_DENIED", "This script was not put to the pack's own policy, so it does not run");
  }

  async #decide(script: Script): Promise<Decision> {
    if (isAllowed(script, this.#settings.allowlist)) return allow();
    // Only the wording depends on this: the approver has the say, so what cannot be looked up changes nothing.
    const { status } = await standingOf(script, this.#settings).catch(() => ({ status: "pending" }) as const);
    const question =
      status === "modified"
        ? `Script '${script.file}' has been modified since approval. Re-approval required.`
        : `Script '${script.file}' is pending approval. An administrator must review and approve this script before it can be executed.`;
    return ask(question, { subject: subjectOf(script), byCaller: false });
  }
}

/** `script_run` means the file it names, `script_exec` its own code, and a tool of its own the script it is. */
export function scriptTools(library: Library, { tools, maxSourceBytes }: ScriptSettings): ScriptTools {
  return new Map<string, (input: Readonly<Record<string, unknown>>) => Promise<Script>>([
    ["script_run", ({ name }) => library.read(name as string)],
    ["script_exec", async ({ code }) => scriptOf(code as string, maxSourceBytes)],
    ...tools.map((name) => [name, () => library.read(name)] as const),
  ]);
}

function scriptOf(code: string, maxBytes: number): Script {
  const bytes = Buffer.from(code);
  if (bytes.length > maxBytes) throw new BiplaneError("INVALID_INPUT", `code is longer than ${maxBytes} bytes`);
  return scriptFrom("exec", bytes, "script_exec");
}
