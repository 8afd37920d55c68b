import { isReply } from "../../packages/core/src/tool/content.ts";
import type { ErrorCode } from "biplane";
import { outputSchema, things, values, verdictOf } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

/** The possible outcomes of a scenario. */
export interface Expectation {
  readonly ends: readonly ("done" | ErrorCode)[];
  readonly runs: boolean;
  /** How many policies are asked, if nothing is cancelled. */
  readonly asked: number;
  readonly approves: boolean;
}

/** A simple model of the call pipeline. */
export function expectationOf(scenario: Scenario): Expectation {
  const refused = refusal(scenario);
  const { cancel } = scenario;
  const cancelledEarly = cancel === "before" || (cancel === "in a policy" && refused.asked > 0);
  if (cancelledEarly) return { ...refused, ends: ["CANCELLED", ...refused.ends], runs: false };
  if (refused.ends.length > 0) return { ...refused, runs: false };
  return { ...refused, ends: endOfRun(scenario), runs: true };
}

function refusal({ known, input, policies, approver }: Scenario): Omit<Expectation, "runs"> {
  if (!known) return { ends: ["TOOL_NOT_FOUND"], asked: 0, approves: false };
  if (!input.valid) return { ends: ["INVALID_INPUT"], asked: 0, approves: false };
  const verdicts = policies.map(({ says }) => verdictOf(says));
  const denied = verdicts.indexOf("deny");
  if (denied >= 0) return { ends: ["POLICY_DENIED"], asked: denied + 1, approves: false };
  const asked = verdicts.length;
  if (!verdicts.includes("ask")) return { ends: [], asked, approves: false };
  return { ends: answers[approver], asked, approves: approver !== "nobody" };
}

const answers: { readonly [Approver in Scenario["approver"]]: readonly ErrorCode[] } = {
  nobody: ["APPROVAL_REJECTED"],
  yes: [],
  no: ["APPROVAL_REJECTED"],
  pending: ["APPROVAL_PENDING"],
  breaks: ["EXECUTION_ERROR"],
};

function endOfRun({ run, hasOutput, cancel }: Scenario): readonly ("done" | ErrorCode)[] {
  const cancelled = cancel === "in run";
  if (run.does === "hang") return [cancelled ? "CANCELLED" : "TIMEOUT"];
  if (cancelled && run.late) return ["CANCELLED"];
  // What never yields cannot be interrupted; whether its result still counts is left open.
  const perhaps = cancelled ? (["CANCELLED"] as const) : [];
  if (run.does === "throw") return [things[run.thing].code, ...perhaps];
  const { sendable, make } = values[run.value];
  const fits = !hasOutput || fitsOutput(make(run.json));
  if (!fits || sendable === false) return ["EXECUTION_ERROR", ...perhaps];
  return [...(sendable === "perhaps" ? (["EXECUTION_ERROR"] as const) : []), "done", ...perhaps];
}

function fitsOutput(value: unknown): boolean {
  return outputSchema.safeParse(isReply(value) ? value.structured : value).success;
}
