import { LiveCall } from "../../call/live-call.ts";
import type { StepResult } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import { BiplaneError } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { AgentContext, Principal } from "../../tool/call.ts";
import { isReply } from "../../tool/content.ts";
import type { Content } from "../../tool/content.ts";
import type { ToolDefinition } from "../message.ts";
import { contentForModel, picturesIn } from "./content.ts";
import type { Acted, Action, Beginning, Door, DoorMaker, Fault, Judgement, Visit } from "./door.ts";

/** Doors into an environment of this process: a call is a call, with no wire in between. */
export function inProcessDoors(environment: Environment): DoorMaker {
  const starts = new Map<string, Promise<Snapshot>>();
  const startOf = (visit: Visit) => {
    if (visit.group === undefined) return undefined;
    let start = starts.get(visit.group);
    if (!start) starts.set(visit.group, (start = startingPoint(environment, visit)));
    return start;
  };
  return {
    name: environment.name,
    kind: "environment",
    open: (visit) => new InProcessDoor(environment, visit, startOf),
    close: async () => starts.clear(), // the environment is whoever's made it
  };
}

class InProcessDoor implements Door {
  readonly #environment: Environment;
  readonly #visit: Visit;
  readonly #startOf: (visit: Visit) => Promise<Snapshot> | undefined;
  readonly #agent: AgentContext;
  #episode: Episode | undefined;
  #step: StepResult | undefined;

  constructor(environment: Environment, visit: Visit, startOf: (visit: Visit) => Promise<Snapshot> | undefined) {
    this.#environment = environment;
    this.#visit = visit;
    this.#startOf = startOf;
    this.#agent = { agentId: "rollout", model: visit.model, requestId: visit.sessionId, metadata: {} };
  }

  async start(): Promise<Beginning> {
    const { episodes, server } = this.#environment;
    const snapshot = await this.#startOf(this.#visit);
    const episode = snapshot ? await episodes.restore(snapshot) : await episodes.start(startOptions(this.#visit));
    this.#episode = episode;
    episodes.attach(episode);
    const { firstObservation: observation, seed } = episode;
    return { observation, source: "environment", tools: definitions(server.tools), seed: String(seed), faults: [] };
  }

  act(action: Action, signal: AbortSignal): Acted | Promise<Acted> {
    const call = this.#call(action, this.#current);
    const outcome = this.#environment.server.perform(call);
    if (!(outcome instanceof Promise)) return this.#answer(call, outcome);
    const cancel = () => call.cancel("The rollout was cancelled");
    signal.addEventListener("abort", cancel, { once: true });
    return outcome.finally(() => signal.removeEventListener("abort", cancel)).then((late) => this.#answer(call, late));
  }

  judge(): Judgement {
    const { fault, terminated, truncated, stepCount } = this.#current;
    const step = this.#step;
    const reward = step ? step.reward : 0; // a refused call is no step, and worth nothing
    const faults: Fault[] = step && fault !== undefined ? [{ what: faultOf(fault), why: fault }] : [];
    return { reward, parts: step?.parts, terminated, truncated, stepCount, info: sources, faults };
  }

  async lookAhead(action: Action): Promise<Judgement> {
    const { episodes, server } = this.#environment;
    const fork = await episodes.fork(this.#current);
    try {
      const call = this.#call(action, fork);
      await server.perform(call);
      const { terminated, truncated } = fork;
      return { reward: call.step?.reward ?? null, terminated, truncated, info: sources, faults: [] };
    } finally {
      await episodes.end(fork);
    }
  }

  async end(): Promise<readonly Fault[]> {
    const episode = this.#episode;
    this.#episode = undefined;
    if (episode) await this.#environment.episodes.end(episode);
    return [];
  }

  get #current(): Episode {
    if (!this.#episode) throw new BiplaneError("INTERNAL", "the episode has not begun, or was ended");
    return this.#episode;
  }

  #call({ name, input }: Action, episode: Episode): LiveCall {
    return new LiveCall({
      tool: name,
      input,
      route: "step",
      agent: this.#agent,
      principal: player,
      session: this.#visit.sessionId,
      scope: episode.asScope,
    });
  }

  #answer(call: LiveCall, outcome: Outcome): Acted {
    this.#step = call.step;
    const { style } = this.#visit;
    if (outcome.status === "suspended") return failure("NOT_SUPPORTED", `${call.tool} asks questions`);
    if (outcome.status === "failed") {
      const { code, message } = outcome.error;
      if (code === "CANCELLED") throw outcome.error;
      const approval = approvalOf(outcome.error);
      return { ...failure(code, message), ...(approval && { approval }) };
    }
    const { value, content } = outcome;
    const observation = isReply(value) ? (value.structured ?? textIn(content)) : (value ?? null);
    const pictures = isReply(value) ? picturesIn(content) : [];
    const inner = this.#environment.server.find(call.tool)?.composite ? innerCalls(value) : undefined;
    return {
      observation,
      content: contentForModel(observation, { style, pictures }),
      isError: false,
      ...(inner && { inner }),
    };
  }
}

const player: Principal = Object.freeze({ kind: "local", id: "rollout", scopes: Object.freeze([]) });
const sources = Object.freeze({ reward_source: "environment", status_source: "environment" });

function startOptions({ setup, sessionId }: Visit) {
  const { seed: _, ...config } = setup.context;
  return { seed: setup.seed, config, label: sessionId };
}

/** Where the rollouts of a group begin: one episode, saved before its first step. */
async function startingPoint(environment: Environment, visit: Visit): Promise<Snapshot> {
  const { episodes } = environment;
  const episode = await episodes.start(startOptions(visit));
  try {
    return await episodes.snapshot(episode);
  } finally {
    await episodes.end(episode);
  }
}

function definitions(
  tools: Iterable<{ name: string; description: string | undefined; input: { json: object } }>,
): ToolDefinition[] {
  return Array.from(tools, ({ name, description, input }) => ({
    type: "function",
    function: { name, description: description ?? "", parameters: input.json as Record<string, unknown> },
  }));
}

function failure(code: string, message: string): Acted {
  const text = `Error: ${message}`;
  return { observation: { error: code, message }, content: text, isError: true };
}

/** What became of a question to a person, where a call failed by it. */
function approvalOf({ code, details }: BiplaneError): object | undefined {
  if (code !== "APPROVAL_PENDING" && code !== "APPROVAL_REJECTED") return undefined;
  const known = isObject(details?.["approval"]) ? details["approval"] : {};
  return { status: code === "APPROVAL_PENDING" ? "pending" : "rejected", ...known };
}

function faultOf(fault: string): "reward" | "status" {
  return fault.startsWith("status") ? "status" : "reward";
}

function textIn(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function innerCalls(value: unknown): readonly unknown[] | undefined {
  const calls = isObject(value) ? value["calls"] : undefined;
  return Array.isArray(calls) ? calls : undefined;
}
