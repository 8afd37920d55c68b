import { randomUUID } from "node:crypto";
import { messageOf } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Agent, Player, Turn, Usage } from "./agent/agent.ts";
import { noToolCall, playbackTerminate } from "./agent/agent.ts";
import { showDivergence } from "./divergence.ts";
import type { Divergence } from "./divergence.ts";
import type { Acted, Beginning, Door, DoorMaker, Fault, Judgement } from "./door/door.ts";
import { endingOf, reasonOf } from "./ending.ts";
import type { Ending, Phase } from "./ending.ts";
import type { Message, ToolCall } from "./message.ts";
import { firstMessages } from "./prompt.ts";
import { beginWithRetries } from "./begin.ts";
import { setupOf } from "./row.ts";
import type { Row, RowSetup } from "./row.ts";
import { evalSessionId } from "./session-id.ts";
import { stepSummary, toolMessage } from "./step-summary.ts";
import type { TextStyle } from "./template.ts";
import { addUsage, noUsage, withReason } from "./trace.ts";
import type { Trace, TraceBegin, TraceCall, TraceEvent, TraceStep } from "./trace.ts";
import type { SimulatedUser } from "./user.ts";

/** One row to be played once. */
export interface Job {
  readonly row: Row;
  readonly index: number;
  readonly repetition: number;
  /** How many jobs before it would have the same session id: a row that is there twice, or played again. */
  readonly occurrence: number;
}

export interface PlayOptions {
  readonly doors: DoorMaker;
  readonly agent: Agent;
  readonly run: string;
  readonly modelId: string;
  readonly steps: number;
  readonly style: TextStyle;
  /** Whether the repetitions of a row begin from one forked episode. */
  readonly fork: boolean;
  readonly user: ((setup: RowSetup) => SimulatedUser | undefined) | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TraceEvent) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
}

/** Plays one row to its end. Never throws: what goes wrong is in the trace, with everything before it. */
export function playRow(job: Job, options: PlayOptions): Promise<Trace> {
  return new Rollout(job, options).play();
}

class Rollout {
  readonly #job: Job;
  readonly #options: PlayOptions;
  readonly #id = randomUUID();
  readonly #startedAt = new Date().toISOString();
  readonly #messages: Message[] = [];
  readonly #steps: TraceStep[] = [];
  readonly #began: number;
  #phase: Phase = "row";
  #setup: RowSetup | undefined;
  #sessionId = "";
  #door: Door | undefined;
  #player: Player | undefined;
  #user: SimulatedUser | undefined;
  #beginning: Beginning | undefined;
  #observation: unknown;
  #ending: Pick<Ending, "reason" | "kind" | "message" | "finishReason"> | undefined;
  #divergence: Divergence | undefined;
  #judged: Judgement | undefined;
  #usage: Usage = noUsage;
  #cost: number | undefined;
  #failures = 0;
  /** How many messages have been written down. */
  #told = 0;

  constructor(job: Job, options: PlayOptions) {
    this.#job = job;
    this.#options = options;
    this.#began = options.now();
  }

  async play(): Promise<Trace> {
    const { signal } = this.#options;
    try {
      await this.#begin();
      while (!this.#ending) await this.#turn();
    } catch (error) {
      this.#ending = endingOf(error, this.#phase, signal);
    }
    if (!this.#beginning) this.#tellBegin();
    const faults = await this.#leave();
    return this.#finish(this.#ending ?? { reason: "stop" }, faults);
  }

  async #begin(): Promise<void> {
    const { row, index, repetition, occurrence } = this.#job;
    const { agent, modelId, style, fork, doors, user, signal } = this.#options;
    const setup = setupOf(row, index);
    this.#setup = setup;
    const { seed, exactContext: config, id } = setup;
    const rowId = occurrence === 0 ? id : `${id}#${occurrence}`; // two sessions of one id would get each other's rewards
    this.#sessionId = evalSessionId({ seed, config, rowId, modelId });
    this.#user = user?.(setup);
    this.#phase = "start";
    const group = fork ? `${index}` : undefined;
    const visit = { setup, sessionId: this.#sessionId, model: modelId, style, group };
    const begun = await beginWithRetries(() => doors.open(visit), { ...this.#options, onDoor: (door) => (this.#door = door) });
    this.#phase = "row";
    this.#messages.push(...firstMessages(row, setup, { beginning: begun, style }));
    this.#observation = begun.observation;
    this.#beginning = begun;
    this.#failures += begun.faults.length;
    this.#phase = "user";
    await this.#openConversation();
    this.#phase = "agent";
    const lookAhead = this.#door?.lookAhead?.bind(this.#door);
    const drawn = begun.seed ?? String(seed ?? 0);
    const seat = { row, index, repetition, seed: drawn, tools: begun.tools, lookAhead };
    this.#player = await agent.begin(seat);
    signal.throwIfAborted();
    this.#tellBegin();
    const expected = this.#player.check?.({ step: -1, message: this.#prompt, ...unjudged });
    if (expected) this.#diverge(expected);
  }

  /** In a conversation the user speaks first. */
  async #openConversation(): Promise<void> {
    if (!this.#user || this.#messages.some(({ role, content }) => role === "user" && content !== "")) return;
    const { text, usage, cost } = await this.#user.reply([], this.#options.signal);
    this.#count(usage, cost);
    this.#messages.splice(-1, 1, { role: "user", content: text });
  }

  async #turn(): Promise<void> {
    const { signal, steps, now } = this.#options;
    signal.throwIfAborted();
    if (this.#steps.length >= steps) return this.#end({ reason: "max_steps" });
    this.#phase = "agent";
    const began = now();
    const view = { messages: this.#messages, tools: this.#beginning?.tools ?? [], observation: this.#observation };
    const asked = (this.#player as Player).turn({ ...view, step: this.#steps.length, signal });
    const turn = asked instanceof Promise ? await asked : asked;
    const agentMs = now() - began;
    this.#count(turn.usage, turn.cost);
    const calls = turn.message.tool_calls ?? [];
    const last = calls.find((call) => isEnding(call));
    if (last) return this.#end(endOfTurn(turn, last));
    this.#messages.push(turn.message);
    if (calls.length === 0) return this.#spoken(turn, agentMs);
    for (const [at, call] of calls.entries()) {
      if (this.#ending || this.#steps.length >= steps) this.#messages.push(notExecuted(call));
      else await this.#step(call, at === 0 ? { ...turn, agentMs } : { agentMs: 0 });
    }
  }

  /** The agent has said something and called nothing: in a conversation it is answered, else it is done. */
  async #spoken(turn: Turn, agentMs: number): Promise<void> {
    if (!this.#user && !turn.userReply) return this.#end(turn.ending === undefined ? reasonOf(turn.finishReason) : recorded(turn));
    this.#phase = "user";
    const { signal } = this.#options;
    const { text, isLast, usage, cost } = turn.userReply
      ? { text: String(turn.userReply.content), isLast: turn.ending === "user_stop", usage: undefined, cost: undefined }
      : await (this.#user as SimulatedUser).reply(this.#messages, signal);
    this.#count(usage, cost);
    const judged = { reward: 0, terminated: false, truncated: false, info: {}, faults: [] };
    this.#messages.push({ role: "user", content: text, control_plane_step: stepSummary(this.#steps.length, judged, []) });
    this.#tellStep({ call: undefined, judged, turn: { ...turn, usage: addUsage(usage ?? noUsage, turn.usage) }, timings: { agentMs, actMs: 0, judgeMs: 0 } });
    if (isLast) this.#end({ reason: "user_stop" });
  }

  async #step(call: ToolCall, turn: Pick<Turn, "usage" | "cost" | "retries"> & { agentMs: number }): Promise<void> {
    this.#phase = "act";
    const { signal, now } = this.#options;
    const door = this.#door as Door;
    const input = readInput(call);
    const began = now();
    const acting = typeof input === "string" ? refused(call, input) : door.act({ name: call.function.name, input }, signal);
    const acted = acting instanceof Promise ? await acting : acting;
    const actMs = now() - began;
    const judging = typeof input === "string" ? this.#unchanged() : door.judge(signal);
    const judged = judging instanceof Promise ? await judging : judging;
    const judgeMs = now() - began - actMs;
    this.#observation = acted.observation;
    this.#judged = judged;
    const { style } = this.#options;
    const shown = typeof input === "string" ? call.function.arguments : input;
    const message = toolMessage(call, acted, { judged, input: shown, step: this.#steps.length, style });
    this.#messages.push(message);
    this.#tellStep({ call: traceCall(call, shown, acted), judged, turn, timings: { agentMs: turn.agentMs, actMs, judgeMs } });
    const { terminated, truncated } = judged;
    const seen = { step: this.#steps.length - 1, message, reward: judged.reward ?? 0, terminated, truncated };
    const divergence = this.#player?.check?.(seen);
    if (divergence) this.#diverge(divergence);
    else if (terminated || truncated) this.#end({ reason: "control_plane_signal" });
  }

  /** A call that never reached the environment is worth nothing and ends nothing. */
  #unchanged(): Judgement {
    const { terminated = false, truncated = false, stepCount } = this.#judged ?? {};
    return { reward: 0, terminated, truncated, stepCount, info: {}, faults: [] };
  }

  #end(ending: Pick<Ending, "reason" | "kind" | "message" | "finishReason">): void {
    this.#ending ??= ending;
  }

  #diverge(divergence: Divergence): void {
    this.#divergence = divergence;
    this.#end({ reason: "error", kind: "divergence", message: showDivergence(divergence) });
  }

  #count(usage: Usage | undefined, cost: number | undefined): void {
    this.#usage = addUsage(this.#usage, usage);
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  get #prompt(): Message {
    return this.#messages.findLast(({ role }) => role === "user") ?? { role: "user", content: "" };
  }

  get #facts(): TraceBegin {
    const { row, index, repetition } = this.#job;
    const { run, agent, modelId } = this.#options;
    const { observation = null, source = "none", tools = [], faults = [], seed } = this.#beginning ?? {};
    const setupSeed = this.#setup?.seed ?? null;
    return {
      rollout: this.#id,
      run,
      index,
      repetition,
      rowId: this.#setup?.id ?? row.input_metadata?.row_id ?? `task_${index}`,
      row,
      seed: seed ?? (setupSeed === null ? null : String(setupSeed)),
      sessionId: this.#sessionId,
      agent: agent.name,
      model: modelId,
      startedAt: this.#startedAt,
      observation,
      source,
      tools,
      faults,
    };
  }

  #tellBegin(): void {
    this.#options.onEvent({ type: "begin", ...this.#facts, messages: this.#untold() });
  }

  #tellStep(done: {
    call: TraceCall | undefined;
    judged: Judgement;
    turn: Pick<Turn, "usage" | "cost" | "retries">;
    timings: TraceStep["timings"];
  }): void {
    const { call, judged, turn, timings } = done;
    const { info: _, ...judgement } = judged;
    const step: TraceStep = {
      step: this.#steps.length,
      messages: this.#untold(),
      call,
      observation: this.#observation,
      ...judgement,
      timings,
      ...(turn.usage && { usage: turn.usage }),
      ...(turn.cost !== undefined && { cost: turn.cost }),
      ...(turn.retries !== undefined && { retries: turn.retries }),
    };
    this.#failures += judged.faults.length;
    this.#steps.push(step);
    this.#options.onEvent({ type: "step", rollout: this.#id, ...step });
  }

  #untold(): Message[] {
    const fresh = this.#messages.slice(this.#told);
    this.#told = this.#messages.length;
    return fresh;
  }

  /** Gives back what the rollout held. A failure here changes nothing of what was played. */
  async #leave(): Promise<Fault[]> {
    const faults: Fault[] = [];
    try {
      await this.#player?.end?.();
      faults.push(...((await this.#door?.end()) ?? []));
    } catch (error) {
      faults.push({ what: "close", why: messageOf(error) });
    }
    return faults;
  }

  #finish(end: Pick<Ending, "reason" | "kind" | "message" | "finishReason">, faults: readonly Fault[]): Trace {
    const { terminated = false, truncated = false } = this.#judged ?? {};
    const facts = this.#facts;
    const { rollout, index, repetition } = facts;
    const result = {
      ending: { ...end, terminated, truncated },
      totalReward: this.#steps.reduce((sum, step) => sum + (step.reward ?? 0), 0),
      usage: this.#usage,
      cost: this.#cost,
      durationMs: this.#options.now() - this.#began,
      controlFailures: this.#failures + faults.length,
      divergence: this.#divergence,
    };
    this.#options.onEvent({ type: "end", rollout, index, repetition, messages: this.#untold(), ...result });
    return { ...facts, steps: this.#steps, messages: withReason(this.#messages, result.ending), ...result };
  }
}

const unjudged = { reward: 0, terminated: false, truncated: false };

function isEnding({ function: { name } }: ToolCall): boolean {
  return name === noToolCall || name === playbackTerminate;
}

function endOfTurn(turn: Turn, call: ToolCall): ReturnType<typeof reasonOf> {
  if (turn.ending !== undefined) return recorded(turn);
  return reasonOf(call.function.name === playbackTerminate ? "stop" : turn.finishReason);
}

/** A recording says why it ended. */
function recorded({ ending = "stop", finishReason }: Turn): ReturnType<typeof reasonOf> {
  const known = ["control_plane_signal", "max_steps", "user_stop"] as const;
  const found = known.find((reason) => reason === ending);
  return found ? { reason: found } : reasonOf(ending === "error" ? finishReason : ending);
}

/** The arguments of a call, or what is wrong with them. */
function readInput({ function: { arguments: text } }: ToolCall): Readonly<Record<string, unknown>> | string {
  if (text.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : "the arguments must be a JSON object";
  } catch (error) {
    return `the arguments are not valid JSON: ${messageOf(error)}`;
  }
}

/** What a model reads that sent something that cannot be called. */
function refused({ function: { name } }: ToolCall, why: string): Acted {
  const observation = { error: "invalid_tool_call", message: `${name} was not called: ${why}` };
  return { observation, content: JSON.stringify(observation), isError: true };
}

/** Every call is answered, so that the transcript stays one that models can read. */
function notExecuted({ id, function: { name } }: ToolCall): Message {
  const content = JSON.stringify({ error: "not_executed", message: `${name} was not called: the episode was over` });
  return { role: "tool", tool_call_id: id, content };
}

function traceCall({ id, function: { name } }: ToolCall, input: unknown, acted: Acted): TraceCall {
  const { isError, inner, approval } = acted;
  return { id, name, input, isError, ...(inner && { inner }), ...(approval !== undefined && { approval }) };
}
