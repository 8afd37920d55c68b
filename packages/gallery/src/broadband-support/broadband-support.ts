import { BiplaneError, environment, reply, resource, text } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Random } from "@biplane/core/internal";
import { conversationFailure } from "../simulated-user.ts";
import type { UserSimulator } from "../simulated-user.ts";
import { callSupportTool, newContact, sayToCustomer } from "./contact.ts";
import { modelReply } from "./customer/model-turn.ts";
import { scriptedReply } from "./customer/scripted-customer.ts";
import { gradeContact } from "./grade.ts";
import { policyText } from "./policy.ts";
import type { SupportState } from "./support-state.ts";
import type { SupportTask } from "./support-task.ts";
import { supportTasks } from "./tasks/support-tasks.ts";
import { endsContact, supportTools } from "./tools/support-tools.ts";

export interface BroadbandSupportOptions {
  /** Plays the customer, for example `modelCustomer` of `biplane/rollout` (default: a script made from the task). */
  readonly user?: UserSimulator;
  /** Tasks of your own instead of the built-in ones. */
  readonly tasks?: readonly SupportTask[];
}

/** Customer service of a fictional internet provider: serve the customer under the written policy. */
export function broadbandSupport({ user, tasks = supportTasks }: BroadbandSupportOptions = {}) {
  return environment({
    name: "broadband-support",
    version: "1.0.0",
    description: "Customer service of Larkspur Broadband, a fictional internet provider, under its written policy.",
    config: {
      type: "object",
      properties: {
        task_id: { type: "string", description: "The task (default: the seed selects one of the split train)" },
        level: { enum: [1, 2, 3], description: "Without task_id: select only tasks of this level" },
        max_steps: { type: "integer", minimum: 1, description: "Calls of the agent (default: 60)" },
        max_errors: { type: "integer", minimum: 1, description: "Failed calls of the agent (default: 10)" },
      },
    },
    start: ({ config, random }) => newContact(selectTask(config as SupportConfig, random)),
    observe: ({ events }) => ({
      instructions,
      policy: policyText,
      conversation: events.flatMap((event) => ("text" in event ? [{ role: event.side, content: event.text }] : [])),
    }),
    resources: [policyResource],
    tools: (tool) => ({
      message_customer: tool({
        description: "Say something to the customer, and get the answer",
        input: {
          type: "object",
          properties: { message: { type: "string", minLength: 1, maxLength: 4000 } },
          required: ["message"],
          additionalProperties: false,
        },
        timeoutMs: 10 * 60_000,
        run: async ({ message }, { state, config, signal }) => {
          if (state.hasLeft)
            return failed(state, config, "The customer has left. Use contact_close or contact_transfer.");
          sayToCustomer(state, message);
          return listen(state, message, signal);
        },
      }),
      ...Object.fromEntries(
        Object.entries(supportTools).map(([name, { description, writes, input }]) => [
          name,
          tool({
            description,
            // Every call is a step of the episode, also one that only reads.
            annotations: { readOnlyHint: false, destructiveHint: writes },
            input,
            run: (given, { state, config }) => {
              const call = { name, input: given as Readonly<Record<string, unknown>> };
              const { value, error } = callSupportTool(taskOf(state.taskId), state, call);
              if (error !== undefined) return failed(state, config, error);
              if (endsContact(name)) settle(state);
              return value;
            },
          }),
        ]),
      ),
    }),
    reward: ({ after: { grade } }) => grade?.reward ?? 0,
    status: ({ end }, { stepCount, config }) => {
      const isOver = end !== undefined && end.reason !== "too_many_errors";
      const isCut = end?.reason === "too_many_errors" || stepCount >= ((config as SupportConfig).max_steps ?? 60);
      return { terminated: isOver, truncated: !isOver && isCut, failure: conversationFailure(end) };
    },
    info: describe,
    publicState: describe,
    render: ({ events }) => events.map(showEvent).join("\n"),
    tasks: { train: () => rowsOf("train"), test: () => rowsOf("test"), all: () => rowsOf() },
  });

  /** The customer's answer. A simulator that fails ends the episode. */
  async function listen(state: SupportState, message: string, signal: AbortSignal): Promise<string> {
    const task = taskOf(state.taskId);
    try {
      const said = user ? await modelReply(task, state, { user, signal }) : scriptedReply(task, state, message);
      state.events.push({ side: "user", text: said });
      return said;
    } catch (error) {
      signal.throwIfAborted();
      state.end = { reason: "user_error", detail: messageOf(error) };
      return "The connection to the customer was lost.";
    }
  }

  /** Grades the contact. An error of the evaluator ends this episode only. */
  function settle(state: SupportState): void {
    try {
      state.grade = gradeContact(taskOf(state.taskId), state);
    } catch (error) {
      state.end = { reason: "evaluator_error", detail: messageOf(error) };
    }
  }

  function selectTask({ task_id: id, level }: SupportConfig, random: Random): SupportTask {
    if (id !== undefined) return taskOf(id);
    return random.choice(tasks.filter((task) => task.split === "train" && (level ?? task.level) === task.level));
  }

  function taskOf(id: string): SupportTask {
    const task = tasks.find((each) => each.id === id);
    if (task) return task;
    throw new BiplaneError(
      "INVALID_INPUT",
      `broadband-support has no task ${JSON.stringify(id)}. The splits train, test and all list the tasks.`,
    );
  }

  function rowsOf(split?: SupportTask["split"]) {
    return tasks
      .filter((task) => split === undefined || task.split === split)
      .map(({ id, level }) => ({ id, level, config: { task_id: id } }));
  }

  function describe({ taskId, end, grade, violations, errors }: SupportState) {
    return {
      task_id: taskId,
      level: taskOf(taskId).level,
      end: end ?? null,
      grade: grade ?? null,
      violations: [...violations],
      errors,
    };
  }
}

interface SupportConfig {
  readonly task_id?: string;
  readonly level?: 1 | 2 | 3;
  readonly max_steps?: number;
  readonly max_errors?: number;
}

/** A failed call is a step like any other, so that the limits hold. */
function failed(state: SupportState, { max_errors: maxErrors = 10 }: SupportConfig, message: string) {
  state.errors++;
  if (state.errors >= maxErrors) state.end = { reason: "too_many_errors" };
  return reply(text(message), { more: { isError: true } });
}

const instructions =
  "You answer a customer of Larkspur Broadband under the policy. Talk to the customer with message_customer, look things up and change them with the other tools, and end with contact_close or contact_transfer.";

/** The policy as a document for MCP hosts. */
export const policyResource = resource({
  name: "policy",
  uri: "larkspur://policy",
  description: "How Larkspur Broadband handles contacts",
  mimeType: "text/markdown",
  read: () => policyText,
});

function showEvent(event: SupportState["events"][number]): string {
  const side = event.side === "user" ? "customer" : "agent";
  if ("text" in event) return `${side}: ${event.text}`;
  const { name, arguments: input, content } = event.call;
  return `${side} calls ${name} ${JSON.stringify(input)}\n  ${content.slice(0, 500)}`;
}
