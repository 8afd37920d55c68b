import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { tasksOf } from "../../environment/tasks.ts";
import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { isForModel } from "../../tool/app.ts";
import type { AgentContext, Principal } from "../../tool/call.ts";
import { isReply } from "../../tool/content.ts";
import type { Content } from "../../tool/content.ts";
import { infoOf } from "../adapters/tool-source.ts";
import { isCallTool, isCode, isListTools } from "./action.ts";
import type { EnvironmentAction } from "./action.ts";
import type { Connector, EnvironmentClient, ResetOptions, StepOutcome } from "./environment-client.ts";
import { failedAction, needsReset } from "./action-result.ts";

/** Plays in an environment of this process, without a wire protocol. The caller owns the environment. */
export function inProcessConnector(environment: Environment): Connector {
  const open = () => openClient(environment, { episode: undefined, agent: agentContext({}) });
  return { name: environment.name, kind: "environment", open, close: async () => undefined };
}

interface Played {
  readonly episode: Episode | undefined;
  readonly agent: AgentContext;
}

function openClient(environment: Environment, start: Played): EnvironmentClient {
  const { name, server, rules, episodes } = environment;
  let { episode, agent } = start;

  function current(): Episode {
    if (!episode) throw needsReset();
    return episode;
  }

  async function close(): Promise<[]> {
    const ended = episode;
    episode = undefined;
    if (ended) await episodes.end(ended);
    return [];
  }

  const listTools = () => Array.from(server.listed).filter(isForModel).map(infoOf);

  return {
    name,
    kind: "environment",
    async reset(options = {}) {
      const { seed, config, snapshot, episodeId: label } = options;
      await close();
      const started = snapshot ? await episodes.restore(snapshot) : await episodes.start({ seed, config, label });
      episodes.attach(started);
      episode = started;
      agent = agentContext(options);
      const { firstObservation: observation } = started;
      return { observation, source: "environment", tools: listTools(), seed: String(started.seed), faults: [] };
    },
    async step(action, { signal } = {}) {
      if (isListTools(action))
        return outcomeIn(episode, { observation: { tools: listTools() }, content: [], reward: null });
      const played = current();
      const call = new LiveCall({
        ...toolFor(action, environment),
        route: "step",
        agent,
        principal: player,
        session: agent.requestId,
        scope: played.asScope,
      });
      const outcome = server.perform(call);
      if (!(outcome instanceof Promise)) return read(call, outcome, played);
      const cancel = () => call.cancel("The step was cancelled.");
      if (signal?.aborted) cancel();
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return read(call, await outcome, played);
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
    async state() {
      const played = current();
      const own = await rules.options.publicState?.(played.state, played.context);
      return { ...(isRecord(own) && own), episodeId: played.label ?? played.id, stepCount: played.stepCount };
    },
    async fork() {
      const forked = await episodes.fork(current());
      episodes.attach(forked);
      return openClient(environment, { episode: forked, agent });
    },
    snapshot: () => episodes.snapshot(current()),
    tasks: (split) => tasksOf(rules.options.tasks, split),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };

  function read(call: LiveCall, outcome: Outcome, played: Episode): StepOutcome {
    const { step } = call;
    const rewarded = { reward: step ? step.reward : played.failure?.masked ? null : 0, parts: step?.parts };
    if (outcome.status !== "done") return outcomeIn(played, { ...failedAction(errorOf(call, outcome)), ...rewarded });
    const { value, content } = outcome;
    const observation = isReply(value) ? (value.structured ?? textIn(content)) : (value ?? null);
    const isComposite = server.find(call.tool)?.composite;
    const calls = isComposite && isRecord(value) && Array.isArray(value["calls"]) ? value["calls"] : undefined;
    return outcomeIn(played, { observation, content, calls, ...rewarded });
  }
}

function toolFor(action: EnvironmentAction, { server, rules, name }: Environment): { tool: string; input: unknown } {
  if (isCallTool(action)) return { tool: action.tool_name, input: action.arguments };
  if (isCode(action)) {
    const { type: _, ...input } = action;
    for (const tool of server.tools) if (tool.composite) return { tool: tool.name, input };
    throw new BiplaneError("NOT_SUPPORTED", `${name} runs no code. Give it a codeTool.`);
  }
  const tool = rules.options.action;
  if (tool !== undefined) return { tool, input: action };
  throw new BiplaneError("NOT_SUPPORTED", `${name} has no action of its own type. Use callTool(name, input).`);
}

function outcomeIn(
  episode: Episode | undefined,
  result: Pick<StepOutcome, "observation" | "content" | "reward"> & Partial<StepOutcome>,
): StepOutcome {
  const { terminated = false, truncated = false, stepCount, failure } = episode ?? {};
  const done = terminated || truncated;
  return { faults: [], ...result, terminated, truncated, done, stepCount, failure, info: sources };
}

const player: Principal = Object.freeze({ kind: "local", id: "rollout", scopes: Object.freeze([]) });
const sources = Object.freeze({ reward_source: "environment", status_source: "environment" });

function agentContext({ model, episodeId = crypto.randomUUID() }: ResetOptions): AgentContext {
  return { agentId: "rollout", model, requestId: episodeId, metadata: {} };
}

function errorOf(call: LiveCall, outcome: Exclude<Outcome, { status: "done" }>): BiplaneError {
  if (outcome.status === "suspended")
    return new BiplaneError(
      "NOT_SUPPORTED",
      `${call.tool} asks a question, which an environment's client cannot answer.`,
    );
  if (outcome.error.code === "CANCELLED") throw outcome.error;
  return outcome.error;
}

function textIn(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
