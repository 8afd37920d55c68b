import { reply } from "../../tool/content.ts";
import type { Content } from "../../tool/content.ts";
import type { AnySchema } from "../../tool/schema.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";

/** Something that is given a task in words and works on it until it has an answer. */
export interface TaskAgent {
  readonly name: string;
  readonly description?: string;
  /** Tells of its steps with `onStep`; stops when `signal` says so. */
  run(task: string, options: AgentRun): AgentAnswer | Promise<AgentAnswer>;
}

export interface AgentRun {
  readonly signal: AbortSignal;
  readonly onStep: (message: string) => void;
  /** What the caller gave beside the task, where `input` describes it. */
  readonly input: Readonly<Record<string, unknown>>;
}

export type AgentAnswer =
  | string
  | { readonly text?: string; readonly content?: readonly Content[]; readonly value?: unknown };

export interface AgentToolOptions {
  /** Of the tool; left out, the agent's own. */
  readonly name?: string;
  /** Further properties that the tool takes, as JSON Schema. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** What an agent's `value` is. */
  readonly output?: AnySchema;
  /** How long it may work: ten minutes. */
  readonly timeoutMs?: number;
}

/** Offers an agent as a tool. Where the caller can hold a task it gets one, because agents take their time. */
export function agentTool(agent: TaskAgent, options: AgentToolOptions = {}): Tool {
  const { name = agent.name, properties = {}, output, timeoutMs = 600_000 } = options;
  return tool({
    name,
    ...(agent.description !== undefined && { description: agent.description }),
    input: {
      type: "object",
      properties: {
        ...properties,
        task: { type: "string", description: "What is to be done, in words", minLength: 1 },
      },
      required: ["task"],
    },
    ...(output && { output }),
    timeoutMs,
    task: "optional",
    annotations: { openWorldHint: true },
    run: async ({ task, ...input }, call) => {
      let steps = 0;
      const onStep = (message: string) => call.progress(++steps, { message });
      const answer = await agent.run(String(task), { signal: call.signal, onStep, input });
      if (typeof answer === "string") return answer;
      const said: Content[] = answer.text === undefined ? [] : [{ type: "text", text: answer.text }];
      const content = [...said, ...(answer.content ?? [])];
      if (content.length === 0) return answer.value;
      return reply(content, answer.value === undefined ? {} : { structured: answer.value });
    },
  });
}
