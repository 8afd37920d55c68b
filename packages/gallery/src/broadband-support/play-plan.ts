import { callSupportTool, newContact, sayToCustomer } from "./contact.ts";
import type { SupportState } from "./support-state.ts";
import { scriptedReply } from "./customer/scripted-customer.ts";
import type { SupportTask } from "./support-task.ts";

/** Plays a task's own plan with the scripted customer. Throws if a step fails. */
export function playPlan(task: SupportTask): SupportState {
  const state = newContact(task);
  for (const step of task.plan) {
    if (typeof step === "string") {
      sayToCustomer(state, step);
      state.events.push({ side: "user", text: scriptedReply(task, state, step) });
      continue;
    }
    const [name, input] = step;
    const { error } = callSupportTool(task, state, { name, input });
    if (error !== undefined) throw new Error(`The plan of ${task.id} fails at ${name}: ${error}`);
  }
  return state;
}
