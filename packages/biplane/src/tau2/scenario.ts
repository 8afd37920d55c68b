import type { Tau2Task } from "./domain.ts";

/** The scenario as a simulated user reads it. */
export function scenarioText({ user_scenario: { persona, instructions } }: Tau2Task): string {
  const lines = [];
  if (persona !== null && persona !== undefined) lines.push("Persona:", indent(persona));
  lines.push("Instructions:", indent(typeof instructions === "string" ? instructions : instructionText(instructions)));
  return lines.join("\n");
}

function instructionText(instructions: Exclude<Tau2Task["user_scenario"]["instructions"], string>): string {
  const { domain, reason_for_call: reason, known_info: known, unknown_info: unknown } = instructions;
  const lines = [`Domain: ${domain}`, `Reason for call:\n${indent(reason)}`];
  if (known !== null && known !== undefined) lines.push(`Known info:\n${indent(known)}`);
  if (unknown !== null && unknown !== undefined) lines.push(`Unknown info:\n${indent(unknown)}`);
  lines.push(`Task instructions:\n${indent(instructions.task_instructions)}`);
  return lines.join("\n");
}

/** As Python's `textwrap.indent`: blank lines stay as they are. */
function indent(text: string): string {
  return text.replaceAll(/^(?=.*\S)/gm, "\t");
}

/** The prompt of the model that plays the user. */
export function userPrompt(guidelines: string, task: Tau2Task): string {
  const rules = guidelines.replaceAll("<PERSONA_GUIDELINES>", "");
  return `${rules}\n\n<scenario>\n${scenarioText(task)}\n</scenario>`;
}

/** The prompt of the agent. */
export function agentPrompt(policy: string): string {
  return `<instructions>\n${instructions}\n</instructions>\n<policy>\n${policy}\n</policy>`;
}

const instructions =
  "You serve a customer under the policy below. Use message_user to talk to the customer, and the other tools to look things up and to change them. Follow the policy.";
