import { BiplaneError, environment, reply, text } from "@biplane/core";
import type { Environment } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { conversationFailure } from "@biplane/gallery";
import type { UserSimulator } from "@biplane/gallery";
import type { ChatModel } from "../rollout/user.ts";
import { assertionJudge } from "./assertion-judge.ts";
import { checkLimits, endWithUserError, greeting, makeCall, schemaOf, userTurn } from "./conversation.ts";
import type { Conversation, TurnLimits } from "./conversation.ts";
import type { Domain, Tau2Task } from "./domain.ts";
import { grade, prepare } from "./grade.ts";
import type { Trajectory } from "./grade.ts";
import { openDomain } from "./open-domain.ts";
import type { DomainName } from "./open-domain.ts";
import { agentPrompt } from "./scenario.ts";
import { scriptedCustomer } from "./user-simulator.ts";
import type { ScriptStep } from "./user-simulator.ts";

export interface Tau2Options {
  readonly domain: DomainName;
  /** The folder with the published data. */
  readonly folder: string;
  /** Plays the customer (default: a script made from the task, or the config's `user_script`). */
  readonly user?: UserSimulator;
  /** Judges the natural-language assertions. Without it, tasks that need them have no reward. */
  readonly judge?: ChatModel;
  /** Retail: gives each modified item its own variant, where tau2 gives all the last one (default: false). */
  readonly fixed?: boolean;
}

/** A domain of tau2-bench, from its published data: same tools, effects, texts, limits and grading. */
export function tau2Environment(options: Tau2Options): Environment {
  const domain = openDomain(options);
  const taskOf = (id: string) => findTask(domain, id);
  return environment({
    name: `tau2-${domain.name}`,
    version: "1.0.0",
    description: `Customer service of tau2-bench: ${domain.name}. Serve the customer under the policy.`,
    config: {
      type: "object",
      properties: {
        task_id: { type: "string", description: "The task (default: the first of the split base)" },
        user_script: {
          type: "array",
          items: {
            anyOf: [
              { type: "string" },
              { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
            ],
          },
          description: "What the customer says and does, in order: texts, and calls { name, arguments }",
        },
        max_steps: { type: "integer", minimum: 1, description: "Hand-overs between the sides (default: 200)" },
        max_errors: { type: "integer", minimum: 1, description: "Failed tool calls (default: 10)" },
      },
    },
    start: async ({ config }): Promise<Conversation> => {
      const task = taskOf((config as Tau2Config).task_id ?? domain.splits["base"]?.[0] ?? "");
      const conversation: Conversation = {
        taskId: task.id,
        database: prepare(domain, task),
        events: [{ side: "assistant", text: greeting }],
        handOvers: 0,
        errors: 0,
        end: undefined,
        grade: undefined,
      };
      await listen(conversation, config, AbortSignal.timeout(openingMs));
      return conversation;
    },
    observe: ({ events }) => ({
      instructions: agentPrompt(domain.policy),
      conversation: events.flatMap((event) => ("text" in event ? [{ role: event.side, content: event.text }] : [])),
    }),
    tools: (tool) => ({
      ...Object.fromEntries(
        Object.entries(domain.tools.assistant).map(([name, { kind, description, parameters }]) => [
          name,
          tool({
            description,
            annotations: { readOnlyHint: false, destructiveHint: kind === "write" },
            input: schemaOf(parameters),
            run: (input, { state: conversation, config }) => {
              const call = {
                name,
                arguments: input as Readonly<Record<string, unknown>>,
                requestor: "assistant" as const,
              };
              const { content, isError } = makeCall(domain, conversation, call);
              checkLimits(conversation, limitsOf(config));
              // A failed call can leave changes, so it is a step like any other.
              return isError ? reply(text(content), { more: { isError: true } }) : content;
            },
          }),
        ]),
      ),
      message_user: tool({
        description: "Says something to the customer, and returns the answer",
        input: { type: "object", properties: { message: { type: "string", minLength: 1 } }, required: ["message"] },
        timeoutMs: 10 * 60_000,
        run: async ({ message }, { state: conversation, config, signal }) => {
          conversation.events.push({ side: "assistant", text: message });
          conversation.handOvers++;
          return listen(conversation, config, signal);
        },
      }),
    }),
    reward: ({ after: { end, grade: result } }) => {
      if (!end) return 0;
      if (end.reason === "user_stop") return result?.reward ?? null;
      return end.reason === "max_steps" || end.reason === "too_many_errors" ? 0 : null;
    },
    status: ({ end }) => ({
      terminated: end !== undefined && end.reason !== "max_steps" && end.reason !== "too_many_errors",
      truncated: end?.reason === "max_steps" || end?.reason === "too_many_errors",
      failure: conversationFailure(end),
    }),
    info: ({ taskId, end, grade: result, handOvers, errors }) => ({
      task_id: taskId,
      end: end ?? null,
      grade: result ?? null,
      hand_overs: handOvers,
      errors,
    }),
    publicState: ({ taskId, end, grade: result }) => ({ task_id: taskId, end: end ?? null, grade: result ?? null }),
    render: ({ events }) => events.map(showEvent).join("\n"),
    tasks: Object.fromEntries(
      Object.entries(domain.splits).map(([split, ids]) => [
        split,
        () => ids.map((id) => ({ id, config: { task_id: id } })),
      ]),
    ),
  });

  /** The customer's turn. If it ends the conversation, the episode is graded. */
  async function listen(conversation: Conversation, config: Tau2Config, signal: AbortSignal): Promise<string> {
    const task = taskOf(conversation.taskId);
    const user = config.user_script
      ? scriptedCustomer(config.user_script)
      : (options.user ?? scriptedCustomer(scriptOf(task)));
    try {
      const said = await userTurn(domain, conversation, { task, user, limits: limitsOf(config), signal });
      if (conversation.end?.reason === "user_stop") await settle(conversation, task, signal);
      return said;
    } catch (error) {
      signal.throwIfAborted();
      endWithUserError(conversation, error);
      return "The customer left.";
    }
  }

  async function settle(conversation: Conversation, task: Tau2Task, signal: AbortSignal): Promise<void> {
    const judge = options.judge && assertionJudge(options.judge, conversation, signal);
    try {
      conversation.grade = await grade(domain, task, { trajectory: trajectoryOf(conversation), judge });
    } catch (error) {
      signal.throwIfAborted();
      conversation.end = { reason: "evaluator_error", detail: messageOf(error) };
    }
  }
}

interface Tau2Config {
  readonly task_id?: string;
  readonly user_script?: readonly ScriptStep[];
  readonly max_steps?: number;
  readonly max_errors?: number;
}

/** How long the customer may take for its first message. */
const openingMs = 10 * 60_000;

function limitsOf({ max_steps: maxSteps = 200, max_errors: maxErrors = 10 }: Tau2Config): TurnLimits {
  return { maxSteps, maxErrors };
}

function findTask({ tasks, name }: Domain, id: string): Tau2Task {
  const task = tasks.find((each) => each.id === id);
  if (task) return task;
  throw new BiplaneError(
    "INVALID_INPUT",
    `tau2-${name} has no task ${JSON.stringify(id)}. List them with the split base.`,
  );
}

/** Without a model, the customer says why it calls, then what it wants in detail, and stops. */
function scriptOf({ user_scenario: { instructions } }: Tau2Task): ScriptStep[] {
  if (typeof instructions === "string") return [instructions];
  const { reason_for_call: reason, known_info: known, task_instructions: details } = instructions;
  return [[reason, known].filter(Boolean).join("\n"), details];
}

function trajectoryOf({ events }: Conversation): Trajectory {
  return {
    calls: events.flatMap((event) => ("call" in event ? [event.call] : [])),
    said: events.flatMap((event) => ("text" in event && event.side === "assistant" ? [event.text] : [])),
  };
}

function showEvent(event: Conversation["events"][number]): string {
  if ("text" in event) return `${event.side}: ${event.text}`;
  const { name, arguments: input, content } = event.call;
  return `${event.side} calls ${name} ${JSON.stringify(input)}\n  ${content.slice(0, 500)}`;
}
