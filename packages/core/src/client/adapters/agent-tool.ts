import { reply } from "../../tool/content.ts";
import type { Content } from "../../tool/content.ts";
import type { AnySchema } from "../../tool/schema.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";

/** An agent that takes a task in plain language and returns an answer. */
export interface TaskAgent {
  readonly name: string;
  readonly description?: string;
  /** Reports its steps with `onStep` and stops when `signal` aborts. */
  run(task: string, options: AgentRun): AgentAnswer | Promise<AgentAnswer>;
}

export interface AgentRun {
  readonly signal: AbortSignal;
  readonly onStep: (message: string) => void;
  /** The other arguments of the call, as declared in `properties`. */
  readonly input: Readonly<Record<string, unknown>>;
}

export type AgentAnswer =
  | string
  | { readonly text?: string; readonly content?: readonly Content[]; readonly value?: unknown };

export interface AgentToolOptions {
  /** Name of the tool (default: the agent's name). */
  readonly name?: string;
  /** Additional input properties, as JSON Schema. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Schema of the answer's `value`. */
  readonly output?: AnySchema;
  /** Time limit for one task (default: 600000). */
  readonly timeoutMs?: number;
}

/** Offers an agent as a tool. Callers that support tasks get one, because agents are slow. */
export function agentTool(agent: TaskAgent, options: AgentToolOptions = {}): Tool {
  const { name = agent.name, properties = {}, output, timeoutMs = 600_000 } = options;
  return tool({
    name,
    ...(agent.description !== undefined && { description: agent.description }),
    input: {
      type: "object",
      properties: {
        ...properties,
        task: { type: "string", description: "The task, in plain language", minLength: 1 },
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
      const answer = await agent.run(task, { signal: call.signal, onStep, input });
      if (typeof answer === "string") return answer;
      const text: Content[] = answer.text === undefined ? [] : [{ type: "text", text: answer.text }];
      const content = [...text, ...(answer.content ?? [])];
      if (content.length === 0) return answer.value;
      return reply(content, answer.value === undefined ? {} : { structured: answer.value });
    },
  });
}
