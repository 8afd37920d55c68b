import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import { tasksOf } from "../../environment/tasks.ts";
import type { Task } from "../../environment/tasks.ts";
import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { isForModel } from "../../tool/app.ts";
import type { AgentContext, Principal } from "../../tool/call.ts";
import { isReply } from "../../tool/content.ts";
import type { Content } from "../../tool/content.ts";
import { infoOf } from "../adapters/tool-source.ts";
import type { ToolInfo } from "../results.ts";
import { isCallTool, isCode, isListTools } from "./action.ts";
import type { EnvironmentAction } from "./action.ts";
import type {
  Connector,
  ControlPlaneFault,
  EnvironmentClient,
  EpisodeState,
  ResetOptions,
  ResetOutcome,
  StepOptions,
  StepOutcome,
} from "./environment-client.ts";
import { failedAction, needsReset } from "./action-result.ts";

/** Plays in an environment of this process, without a wire protocol. The caller owns the environment. */
export function inProcessConnector(environment: Environment): Connector {
  const { name } = environment;
  return { name, kind: "environment", open: () => new InProcessClient(environment), close: async () => undefined };
}

class InProcessClient implements EnvironmentClient {
  readonly name: string;
  readonly kind = "environment";
  readonly #environment: Environment;
  #agent: AgentContext;
  #episode: Episode | undefined;

  constructor(environment: Environment, start?: { episode: Episode; agent: AgentContext }) {
    this.name = environment.name;
    this.#environment = environment;
    this.#episode = start?.episode;
    this.#agent = start?.agent ?? agentContext({});
  }

  async reset(options: ResetOptions = {}): Promise<ResetOutcome> {
    const { seed, config, snapshot, episodeId: label } = options;
    const { episodes } = this.#environment;
    await this.close();
    const episode = snapshot ? await episodes.restore(snapshot) : await episodes.start({ seed, config, label });
    episodes.attach(episode);
    this.#episode = episode;
    this.#agent = agentContext(options);
    const observation = episode.firstObservation;
    return { observation, source: "environment", tools: this.#tools(), seed: String(episode.seed), faults: [] };
  }

  async step(action: EnvironmentAction, { signal }: StepOptions = {}): Promise<StepOutcome> {
    if (isListTools(action))
      return this.#outcome({ observation: { tools: this.#tools() }, content: [], reward: null }, this.#episode);
    const episode = this.#current;
    const call = this.#call(action, episode);
    const outcome = this.#environment.server.perform(call);
    if (!(outcome instanceof Promise)) return this.#read(call, outcome, episode);
    const cancel = () => call.cancel("The step was cancelled.");
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return this.#read(call, await outcome, episode);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  async state(): Promise<EpisodeState> {
    const episode = this.#current;
    const own = await this.#environment.rules.options.publicState?.(episode.state, episode.context);
    return { ...(isRecord(own) && own), episodeId: episode.label ?? episode.id, stepCount: episode.stepCount };
  }

  async fork(): Promise<EnvironmentClient> {
    const { episodes } = this.#environment;
    const episode = await episodes.fork(this.#current);
    episodes.attach(episode);
    return new InProcessClient(this.#environment, { episode, agent: this.#agent });
  }

  snapshot(): Promise<Snapshot> {
    return this.#environment.episodes.snapshot(this.#current);
  }

  tasks(split: string): Promise<readonly Task[]> {
    return tasksOf(this.#environment.rules.options.tasks, split);
  }

  async close(): Promise<readonly ControlPlaneFault[]> {
    const episode = this.#episode;
    this.#episode = undefined;
    if (episode) await this.#environment.episodes.end(episode);
    return [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #current(): Episode {
    if (!this.#episode) throw needsReset();
    return this.#episode;
  }

  #tools(): ToolInfo[] {
    return Array.from(this.#environment.server.listed).filter(isForModel).map(infoOf);
  }

  #call(action: EnvironmentAction, episode: Episode): LiveCall {
    return new LiveCall({
      ...this.#toolFor(action),
      route: "step",
      agent: this.#agent,
      principal: player,
      session: this.#agent.requestId,
      scope: episode.asScope,
    });
  }

  #toolFor(action: EnvironmentAction): { tool: string; input: unknown } {
    if (isCallTool(action)) return { tool: action.tool_name, input: action.arguments };
    const { server, rules, name } = this.#environment;
    if (isCode(action)) {
      const { type: _, ...input } = action;
      for (const tool of server.tools) if (tool.composite) return { tool: tool.name, input };
      throw new BiplaneError("NOT_SUPPORTED", `${name} runs no code. Give it a codeTool.`);
    }
    const tool = rules.options.action;
    if (tool !== undefined) return { tool, input: action };
    throw new BiplaneError("NOT_SUPPORTED", `${name} has no action of its own type. Use callTool(name, input).`);
  }

  #read(call: LiveCall, outcome: Outcome, episode: Episode): StepOutcome {
    const { step } = call;
    const rewarded = { reward: step ? step.reward : episode.failure?.masked ? null : 0, parts: step?.parts };
    if (outcome.status !== "done")
      return this.#outcome({ ...failedAction(errorOf(call, outcome)), ...rewarded }, episode);
    const { value, content } = outcome;
    const observation = isReply(value) ? (value.structured ?? textIn(content)) : (value ?? null);
    const isComposite = this.#environment.server.find(call.tool)?.composite;
    const calls = isComposite && isRecord(value) && Array.isArray(value["calls"]) ? value["calls"] : undefined;
    return this.#outcome({ observation, content, calls, ...rewarded }, episode);
  }

  #outcome(
    result: Pick<StepOutcome, "observation" | "content" | "reward"> & Partial<StepOutcome>,
    episode: Episode | undefined,
  ): StepOutcome {
    const { terminated = false, truncated = false, stepCount, failure } = episode ?? {};
    const done = terminated || truncated;
    return { faults: [], ...result, terminated, truncated, done, stepCount, failure, info: sources };
  }
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
