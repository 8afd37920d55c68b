import { callTool } from "@biplane/core/client";
import type { ControlPlaneFault, EnvironmentClient, StepOutcome, StepStatus } from "@biplane/core/client";
import { BiplaneError, makeFailure } from "@biplane/core";
import type { Failure, Masks } from "@biplane/core";
import { firstFailure, messageOf } from "@biplane/core/internal";
import type { Connector } from "@biplane/core/internal";
import type { RolloutTelemetry, TracedModel } from "../observe/rollout-spans.ts";
import type { Action, Agent, AgentView, EpisodePlayer, Turn } from "./agent/agent.ts";
import { beginWithRetries } from "./begin.ts";
import type { EpisodeStart } from "./begin.ts";
import { showDivergence } from "./divergence.ts";
import type { Divergence } from "./divergence.ts";
import { failureAt, failureOfCall, isLost, isWorthRetry, unknownStatus } from "./failure-at.ts";
import type { Phase } from "./failure-at.ts";
import type { SnapshotOfGroup } from "./group-starts.ts";
import type { ChatMessage, ToolCall } from "./message.ts";
import { TraceRecorder } from "./trace-recorder.ts";
import type { RolloutFacts } from "./trace-recorder.ts";
import { firstMessages } from "./prompt.ts";
import { setupOf } from "./row.ts";
import type { Row, RowSetup } from "./row.ts";
import { evalSessionId } from "./session-id.ts";
import { agentResult } from "./agent-result.ts";
import { stepSummary, toolMessage } from "./step-summary.ts";
import type { TextStyle } from "./template.ts";
import { callNotMade, endingCall, readInput, rejectedCall, tracedCall, turnEnd } from "./tool-call.ts";
import type { TurnEnd } from "./tool-call.ts";
import { addUsage, noUsage } from "./trace.ts";
import type { Trace, TraceEvent } from "./trace.ts";
import { recordedReply } from "./user.ts";
import type { SimulatedUser } from "./user.ts";

/** One rollout of a run: a row and a repetition. */
export interface Job {
  readonly row: Row;
  readonly index: number;
  readonly repetition: number;
  /** How many earlier jobs have the same session id: repetitions, or duplicates of the row. */
  readonly occurrence: number;
}

export interface PlayOptions {
  readonly connector: Connector;
  readonly agent: Agent;
  readonly run: string;
  readonly modelId: string;
  readonly steps: number;
  readonly style: TextStyle;
  /** Starts the repetitions of a row from one forked episode. */
  readonly groups: SnapshotOfGroup | undefined;
  /** Which failures are masked, where that differs from the default. */
  readonly masks: Masks | undefined;
  /** How often a rollout is repeated after a failure that may not happen again. */
  readonly retries: number;
  readonly user: ((setup: RowSetup) => SimulatedUser | undefined) | undefined;
  readonly telemetry?: RolloutTelemetry | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TraceEvent) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
}

/** Plays one row to its end, again after failures that may not happen again. Never throws: errors end up in the trace. */
export function playRow(job: Job, options: PlayOptions): Promise<Trace> {
  const { telemetry, agent, run } = options;
  const play = () => playAttempts(job, options);
  if (!telemetry) return play();
  const { index, repetition } = job;
  return telemetry.agent({ name: agent.name, model: modelOf(options), run, index, repetition }, play);
}

async function playAttempts(job: Job, options: PlayOptions): Promise<Trace> {
  const { retries, signal, sleep, random } = options;
  const recorder = new TraceRecorder(options.onEvent);
  for (let attempt = 1; ; attempt++) {
    const rollout = new Rollout(job, options, recorder);
    const failure = await rollout.play();
    if (attempt > retries || !failure || !isWorthRetry(failure) || signal.aborted) return rollout.end(failure);
    recorder.restart(failure);
    await sleep(2 ** attempt * 50 * (0.5 + random()), signal).catch(() => undefined);
  }
}

class Rollout {
  readonly #job: Job;
  readonly #options: PlayOptions;
  readonly #recorder: TraceRecorder;
  readonly #began: number;
  #phase: Phase = "row";
  #setup: RowSetup | undefined;
  #sessionId = "";
  #client: EnvironmentClient | undefined;
  #player: EpisodePlayer | undefined;
  #user: SimulatedUser | undefined;
  #start: EpisodeStart | undefined;
  #observation: unknown;
  #end: TurnEnd | undefined;
  #divergence: Divergence | undefined;
  #outcome: StepStatus = noOutcome;
  #failure: Failure | undefined;
  #faults: readonly ControlPlaneFault[] = [];

  constructor(job: Job, options: PlayOptions, recorder: TraceRecorder) {
    this.#job = job;
    this.#options = options;
    this.#recorder = recorder;
    this.#began = options.now();
  }

  /** Plays the row and releases what it used. Returns what failed. */
  async play(): Promise<Failure | undefined> {
    try {
      await this.#begin();
      while (!this.#end) await this.#turn();
      this.#note(unknownStatus(this.#outcome));
    } catch (error) {
      this.#fail(failureAt(this.#phase, error, this.#options));
    }
    if (!this.#recorder.hasBegun) this.#recorder.begin(this.#facts, this.#start);
    this.#faults = await this.#close();
    return this.#failure;
  }

  end(failure: Failure | undefined): Trace {
    const { terminated, truncated } = this.#outcome;
    const end = this.#end ?? { reason: "error" as const };
    const durationMs = this.#options.now() - this.#began;
    const rest = { durationMs, divergence: this.#divergence, faults: this.#faults, failure };
    return this.#recorder.end({ ...end, terminated, truncated }, rest);
  }

  async #begin(): Promise<void> {
    const { row, index, repetition, occurrence } = this.#job;
    const { agent, modelId, style, user, signal } = this.#options;
    const setup = setupOf(row, index);
    this.#setup = setup;
    const { seed, exactContext: config, id } = setup;
    const rowId = occurrence === 0 ? id : `${id}#${occurrence}`; // sessions with the same id would share their rewards
    this.#sessionId = evalSessionId({ seed, config, rowId, modelId });
    this.#user = user?.(setup);
    this.#phase = "start";
    const start = await beginWithRetries(
      {
        index,
        seed,
        config: setup.context,
        episodeId: this.#sessionId,
        model: modelId,
        rowId: id,
        isPlayback: agent.isPlayback === true,
      },
      { ...this.#options, onClient: (client) => (this.#client = client) },
    );
    this.#start = start;
    this.#observation = start.observation;
    this.#phase = "row";
    this.#recorder.messages.push(...firstMessages(row, setup, { start, style }));
    this.#phase = "user";
    await this.#openConversation();
    this.#phase = "agent";
    const lookAhead = (action: Action) => this.#lookAhead(action);
    const context = { row, index, repetition, seed: start.seed ?? String(seed ?? 0), tools: start.tools, lookAhead };
    this.#player = await agent.begin(context);
    signal.throwIfAborted();
    this.#recorder.begin(this.#facts, start);
    this.#check(-1, this.#prompt, noOutcome);
  }

  async #lookAhead({ tool, input }: Action): Promise<StepOutcome> {
    const fork = await (this.#client as EnvironmentClient).fork();
    try {
      return await fork.step(callTool(tool, input), { signal: this.#options.signal });
    } finally {
      await fork.close();
    }
  }

  /** With a simulated user and no prompt, the user sends the first message. */
  async #openConversation(): Promise<void> {
    const { messages } = this.#recorder;
    const isOpen = this.#job.row.messages.some(({ role }) => role === "user") || this.#setup?.template !== "";
    if (!this.#user || isOpen) return;
    const { text, usage, cost } = await this.#user.reply([], this.#options.signal);
    this.#recorder.addUsage(usage, cost);
    messages.splice(-1, 1, { role: "user", content: text });
  }

  async #turn(): Promise<void> {
    const { signal, steps, now } = this.#options;
    const { messages, steps: made } = this.#recorder;
    signal.throwIfAborted();
    if (made.length >= steps) return this.#finish({ reason: "max_steps" });
    this.#phase = "agent";
    const began = now();
    const view = { messages, tools: this.#start?.tools ?? [], observation: this.#observation };
    const asked = this.#ask({ ...view, step: made.length, signal });
    const turn = asked instanceof Promise ? await asked : asked;
    const agentMs = now() - began;
    this.#recorder.addUsage(turn.usage, turn.cost);
    const calls = turn.message.tool_calls ?? [];
    const last = endingCall(calls);
    if (last) return this.#finish(turnEnd(turn, last));
    messages.push(turn.message);
    if (calls.length === 0) return this.#converse(turn, agentMs);
    for (const [at, call] of calls.entries()) {
      if (this.#end || made.length >= steps) messages.push(callNotMade(call));
      else await this.#step(call, at === 0 ? { ...turn, agentMs } : { agentMs: 0 });
    }
  }

  #ask(view: AgentView): Turn | Promise<Turn> {
    const ask = () => (this.#player as EpisodePlayer).turn(view);
    const model = modelOf(this.#options);
    return (model && this.#options.telemetry?.model(model, ask)) ?? ask();
  }

  /** Handles a turn without calls: a simulated user replies; without one, the rollout ends. */
  async #converse(turn: Turn, agentMs: number): Promise<void> {
    if (!this.#user && !turn.userReply) return this.#finish(turnEnd(turn));
    this.#phase = "user";
    const { messages, steps } = this.#recorder;
    const reply = recordedReply(turn) ?? (await (this.#user as SimulatedUser).reply(messages, this.#options.signal));
    this.#recorder.addUsage(reply.usage, reply.cost);
    const outcome = { ...noOutcome, stepCount: this.#outcome.stepCount };
    messages.push({ role: "user", content: reply.text, control_plane_step: stepSummary(steps.length, outcome, []) });
    const usage = addUsage(turn.usage ?? noUsage, reply.usage);
    const timings = { agentMs, actMs: 0, judgeMs: 0 };
    this.#recorder.step({
      call: undefined,
      observation: this.#observation,
      outcome,
      turn: { ...turn, usage },
      timings,
    });
    if (reply.isLast) this.#finish({ reason: "user_stop" });
  }

  async #step(call: ToolCall, turn: Partial<Turn> & { agentMs: number }): Promise<void> {
    this.#phase = "act";
    const { now, style } = this.#options;
    const began = now();
    const { result, outcome, traced, judgeMs, failure } = await this.#perform(call);
    const isNew = outcome.failure !== undefined && this.#outcome.failure === undefined;
    this.#note(outcome.failure);
    const timings = { agentMs: turn.agentMs, actMs: Math.max(0, now() - began - judgeMs), judgeMs };
    const { observation } = result;
    this.#observation = observation;
    this.#outcome = outcome;
    const { messages, steps } = this.#recorder;
    const message = toolMessage(call, result, { outcome, input: traced.input, step: steps.length, style });
    messages.push(message);
    this.#recorder.step({
      call: traced,
      observation,
      outcome,
      turn,
      timings,
      failure: isNew ? outcome.failure : failure,
    });
    this.#check(steps.length - 1, message, outcome);
    if (outcome.terminated || outcome.truncated) this.#finish({ reason: "control_plane_signal" });
  }

  /** Makes a call. One with invalid arguments does not reach the environment. */
  async #perform(call: ToolCall) {
    const { signal, style, telemetry } = this.#options;
    const { name, arguments: text } = call.function;
    const input = readInput(call);
    if (typeof input === "string") {
      const outcome: StepStatus = { ...this.#outcome, ...noReward };
      const failure = makeFailure("agent", input, { agent: false });
      return { result: rejectedCall(call, input), outcome, traced: tracedCall(call, text), judgeMs: 0, failure };
    }
    const client = this.#client as EnvironmentClient;
    const act = () => client.step(callTool(name, input), { signal });
    const known = this.#start?.tools.find((tool) => tool.function.name === name)?.function.name;
    const step = await (telemetry ? telemetry.tool({ name: known, callId: call.id }, act) : act());
    if (isLost(step)) throw new BiplaneError("EPISODE_ENDED", step.error?.message ?? "The episode was lost.");
    const result = agentResult(step, { kind: client.kind, sessionId: this.#sessionId, style });
    const [traced, failure] = [tracedCall(call, input, step), failureOfCall(step)];
    return { result, outcome: step, traced, judgeMs: step.controlPlaneMs ?? 0, failure };
  }

  /** Lets a playback compare the step with its recording. */
  #check(step: number, message: ChatMessage, { reward, terminated, truncated }: StepStatus): void {
    const divergence = this.#player?.check?.({ step, message, reward: reward ?? 0, terminated, truncated });
    if (!divergence) return;
    this.#divergence = divergence;
    if (!this.#end) this.#fail(makeFailure("environment", showDivergence(divergence), this.#options.masks));
  }

  /** Ends the rollout with a failure. */
  #fail(failure: Failure): void {
    this.#note(failure);
    this.#end = { reason: "error", kind: failure.kind, message: failure.message };
  }

  #note(failure: Failure | undefined): void {
    this.#failure = firstFailure(this.#failure, failure);
  }

  /** Keeps the first reason to end. */
  #finish(end: TurnEnd): void {
    this.#end ??= end;
  }

  /** Releases the agent and the environment. A failure here is recorded, but does not change the result. */
  async #close(): Promise<ControlPlaneFault[]> {
    const faults: ControlPlaneFault[] = [];
    try {
      await this.#player?.end?.();
      faults.push(...((await this.#client?.close()) ?? []));
    } catch (error) {
      faults.push({ what: "close", why: messageOf(error) });
    }
    return faults;
  }

  get #prompt(): ChatMessage {
    return this.#recorder.messages.findLast(({ role }) => role === "user") ?? { role: "user", content: "" };
  }

  get #facts(): RolloutFacts {
    const { row, index, repetition } = this.#job;
    const { run, agent, modelId: model } = this.#options;
    const seed = this.#setup?.seed ?? null;
    return {
      run,
      index,
      repetition,
      rowId: this.#setup?.id ?? row.input_metadata?.row_id ?? `task_${index}`,
      row,
      seed: seed === null ? null : String(seed),
      sessionId: this.#sessionId,
      agent: agent.name,
      model,
    };
  }
}

/** The model that the agent asks, if it asks one. */
function modelOf({ agent: { provider }, modelId: name }: PlayOptions): TracedModel | undefined {
  return provider === undefined ? undefined : { name, provider };
}

/** The outcome of a call that never reached the environment. */
const noReward = { reward: 0, parts: undefined, info: {}, faults: [] };
const noOutcome: StepStatus = { ...noReward, terminated: false, truncated: false };
