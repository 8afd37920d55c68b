import type { UserSimulator } from "@biplane/gallery";
import type { DomainInput } from "./domain.ts";

/** A step of a script: a message, or a call of one of the customer's tools. */
export type ScriptStep = string | { readonly name: string; readonly arguments?: DomainInput };

/** A customer that follows a script, and then stops. */
export function scriptedCustomer(script: readonly ScriptStep[]): UserSimulator {
  return ({ messages }) => {
    const made = messages.filter(({ role }) => role === "assistant").length;
    const step = script[made] ?? "###STOP###";
    const turn =
      typeof step === "string" ? { text: step } : { calls: [{ name: step.name, arguments: step.arguments ?? {} }] };
    return Promise.resolve(turn);
  };
}
