import { messageOf } from "@biplane/core/internal";
import { customerTools, healthyHome, serviceOf } from "./home-network.ts";
import { findViolations, messageViolations } from "./policy-checks.ts";
import { SupportRecords } from "./records.ts";
import type { SupportState } from "./support-state.ts";
import type { SupportTask } from "./support-task.ts";
import { hasOutage } from "./tools/fault-tools.ts";
import { endsContact, supportTools } from "./tools/support-tools.ts";

/** A contact at its start: the customer has said why it calls. */
export function newContact({ id, customer, home, opening }: SupportTask): SupportState {
  return {
    taskId: id,
    caller: new SupportRecords({}).get("customers", customer),
    changes: {},
    home: { ...healthyHome, ...home },
    checks: { verified: [], failed: {} },
    events: [
      { side: "assistant", text: "Larkspur Broadband, good day. How can I help you?" },
      { side: "user", text: opening },
    ],
    memory: { raised: 0, idle: 0 },
    hasAgreed: false,
    hasLeft: false,
    violations: [],
    errors: 0,
    end: undefined,
    grade: undefined,
  };
}

/** Calls a tool for the agent. A call that fails changes nothing. */
export function callSupportTool(
  task: SupportTask,
  state: SupportState,
  { name, input }: { name: string; input: Readonly<Record<string, unknown>> },
): { value?: unknown; error?: string } {
  const records = new SupportRecords(state.changes);
  const violations = findViolations(task, state, { name, input, records });
  try {
    const value = supportTools[name]?.run({ records, checks: state.checks, home: state.home }, input);
    state.violations.push(...violations);
    if (endsContact(name)) state.end = { reason: name === "contact_close" ? "closed" : "transferred" };
    record(state, "assistant", { name, arguments: input, content: JSON.stringify(value) });
    return { value };
  } catch (error) {
    const content = messageOf(error);
    record(state, "assistant", { name, arguments: input, content });
    return { error: content };
  }
}

/** The agent says something. The customer's answer is another event. */
export function sayToCustomer(state: SupportState, message: string): void {
  state.violations.push(...messageViolations(state, message));
  state.events.push({ side: "assistant", text: message });
}

/** The customer uses something at home, and says what happened. */
export function useCustomerTool(state: SupportState, name: string): string {
  const tool = Object.hasOwn(customerTools, name) ? customerTools[name] : undefined;
  const before = serviceAt(state).works;
  const content = tool ? tool.run(state.home, networkOf(state)) : `There is no tool ${JSON.stringify(name)}.`;
  const result = !before && serviceAt(state).works ? `${content} The internet works again.` : content;
  record(state, "user", { name, arguments: {}, content: result });
  return result;
}

/** The service at the customer's home, as far as it is graded. */
export function serviceAt(state: SupportState): Record<string, boolean> {
  return serviceOf(state.home, networkOf(state));
}

function networkOf({ changes, caller }: SupportState) {
  const records = new SupportRecords(changes);
  const line = records.get("lines", caller.id.replace("C-1", "L-2"));
  return { line, hasOutage: hasOutage(records, line) };
}

function record(
  { events }: SupportState,
  side: "assistant" | "user",
  call: { name: string; arguments: Readonly<Record<string, unknown>>; content: string },
): void {
  events.push({ side, call });
}
