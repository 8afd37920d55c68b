import { messageOf } from "../errors.ts";
import type { Agent, Player, Turn } from "./agent/agent.ts";
import { beginWithRetries } from "./begin.ts";
import { showDivergence } from "./divergence.ts";
import type { Divergence } from "./divergence.ts";
import type { Beginning, Door, DoorMaker, Fault, Judgement } from "./door/door.ts";
import { endingOf } from "./ending.ts";
import type { Phase } from "./ending.ts";
import type { Message, ToolCall } from "./message.ts";
import { textOf } from "./message.ts";
import { Notebook } from "./notebook.ts";
import type { RolloutFacts } from "./notebook.ts";
import { firstMessages } from "./prompt.ts";
import { setupOf } from "./row.ts";
import type { Row, RowSetup } from "./row.ts";
import { evalSessionId } from "./session-id.ts";
import { stepSummary, toolMessage } from "./step-summary.ts";
import type { TextStyle } from "./template.ts";
import { callNotMade, readInput, refusedCall, tracedCall } from "./tool-call.ts";
import { addUsage, noUsage } from "./trace.ts";
import type { Trace, TraceEvent } from "./trace.ts";
import { endingCall, turnEnd } from "./turn-end.ts";
import type { TurnEnd } from "./turn-end.ts";
import type { SimulatedUser, UserReply } from "./user.ts";

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
  readonly #notebook: Notebook;
  readonly #began: number;
  #phase: Phase = "row";
  #setup: RowSetup | undefined;
  #sessionId = "";
  #door: Door | undefined;
  #player: Player | undefined;
  #user: SimulatedUser | undefined;
  #beginning: Beginning | undefined;
  #observation: unknown;
  #end: TurnEnd | undefined;
  #divergence: Divergence | undefined;
  #judged: Judgement = nothing;

  constructor(job: Job, options: PlayOptions) {
    this.#job = job;
    this.#options = options;
    this.#notebook = new Notebook(options.onEvent);
    this.#began = options.now();
  }

  async play(): Promise<Trace> {
    const { signal, now } = this.#options;
    try {
      await this.#begin();
      while (!this.#end) await this.#turn();
    } catch (error) {
      this.#end = endingOf(error, this.#phase, signal);
    }
    if (!this.#notebook.hasBegun) this.#notebook.begin(this.#facts, this.#beginning);
    const faults = await this.#leave();
    const { terminated, truncated } = this.#judged;
    const rest = { durationMs: now() - this.#began, divergence: this.#divergence, faults };
    return this.#notebook.end({ ...this.#end, terminated, truncated }, rest);
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
    const group = fork ? String(index) : undefined;
    const visit = { setup, sessionId: this.#sessionId, model: modelId, style, group };
    const onDoor = (door: Door) => (this.#door = door);
    const begun = await beginWithRetries(() => doors.open(visit), { ...this.#options, onDoor });
    this.#beginning = begun;
    this.#observation = begun.observation;
    this.#phase = "row";
    this.#notebook.messages.push(...firstMessages(row, setup, { beginning: begun, style }));
    this.#phase = "user";
    await this.#openConversation();
    this.#phase = "agent";
    const lookAhead = this.#door?.lookAhead?.bind(this.#door);
    const seat = { row, index, repetition, seed: begun.seed ?? String(seed ?? 0), tools: begun.tools, lookAhead };
    this.#player = await agent.begin(seat);
    signal.throwIfAborted();
    this.#notebook.begin(this.#facts, begun);
    this.#check(-1, this.#prompt, nothing);
  }

  /** In a conversation the user speaks first. */
  async #openConversation(): Promise<void> {
    const { messages } = this.#notebook;
    const isOpen = this.#job.row.messages.some(({ role }) => role === "user") || this.#setup?.template !== "";
    if (!this.#user || isOpen) return;
    const { text, usage, cost } = await this.#user.reply([], this.#options.signal);
    this.#notebook.count(usage, cost);
    messages.splice(-1, 1, { role: "user", content: text });
  }

  async #turn(): Promise<void> {
    const { signal, steps, now } = this.#options;
    const { messages, steps: made } = this.#notebook;
    signal.throwIfAborted();
    if (made.length >= steps) return this.#finish({ reason: "max_steps" });
    this.#phase = "agent";
    const began = now();
    const view = { messages, tools: this.#beginning?.tools ?? [], observation: this.#observation };
    const asked = (this.#player as Player).turn({ ...view, step: made.length, signal });
    const turn = asked instanceof Promise ? await asked : asked;
    const agentMs = now() - began;
    this.#notebook.count(turn.usage, turn.cost);
    const calls = turn.message.tool_calls ?? [];
    const last = endingCall(calls);
    if (last) return this.#finish(turnEnd(turn, last));
    messages.push(turn.message);
    if (calls.length === 0) return this.#spoken(turn, agentMs);
    for (const [at, call] of calls.entries()) {
      if (this.#end || made.length >= steps) messages.push(callNotMade(call));
      else await this.#step(call, at === 0 ? { ...turn, agentMs } : { agentMs: 0 });
    }
  }

  /** The agent has said something and called nothing: in a conversation it is answered, else it is done. */
  async #spoken(turn: Turn, agentMs: number): Promise<void> {
    if (!this.#user && !turn.userReply) return this.#finish(turnEnd(turn));
    this.#phase = "user";
    const { messages, steps } = this.#notebook;
    const reply = recordedReply(turn) ?? (await (this.#user as SimulatedUser).reply(messages, this.#options.signal));
    this.#notebook.count(reply.usage, reply.cost);
    const judged = { ...nothing, stepCount: this.#judged.stepCount };
    messages.push({ role: "user", content: reply.text, control_plane_step: stepSummary(steps.length, judged, []) });
    const usage = addUsage(turn.usage ?? noUsage, reply.usage);
    const timings = { agentMs, actMs: 0, judgeMs: 0 };
    this.#notebook.step({ call: undefined, observation: this.#observation, judged, turn: { ...turn, usage }, timings });
    if (reply.isLast) this.#finish({ reason: "user_stop" });
  }

  async #step(call: ToolCall, turn: Partial<Turn> & { agentMs: number }): Promise<void> {
    this.#phase = "act";
    const { signal, now, style } = this.#options;
    const door = this.#door as Door;
    const input = readInput(call);
    const began = now();
    const isBad = typeof input === "string";
    const acting = isBad ? refusedCall(call, input) : door.act({ name: call.function.name, input }, signal);
    const acted = acting instanceof Promise ? await acting : acting;
    const actMs = now() - began;
    const judging = isBad ? { ...this.#judged, ...worthless } : door.judge(signal);
    const judged = judging instanceof Promise ? await judging : judging;
    const timings = { agentMs: turn.agentMs, actMs, judgeMs: now() - began - actMs };
    this.#observation = acted.observation;
    this.#judged = judged;
    const shown = isBad ? call.function.arguments : input;
    const { messages, steps } = this.#notebook;
    const message = toolMessage(call, acted, { judged, input: shown, step: steps.length, style });
    messages.push(message);
    const { observation } = acted;
    this.#notebook.step({ call: tracedCall(call, shown, acted), observation, judged, turn, timings });
    this.#check(steps.length - 1, message, judged);
    if (judged.terminated || judged.truncated) this.#finish({ reason: "control_plane_signal" });
  }

  /** A playback knows what should have come. */
  #check(step: number, message: Message, { reward, terminated, truncated }: Judgement): void {
    const divergence = this.#player?.check?.({ step, message, reward: reward ?? 0, terminated, truncated });
    if (!divergence) return;
    this.#divergence = divergence;
    this.#finish({ reason: "error", kind: "divergence", message: showDivergence(divergence) });
  }

  /** The first reason to end is the one that counts. */
  #finish(end: TurnEnd): void {
    this.#end ??= end;
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

  get #prompt(): Message {
    return this.#notebook.messages.findLast(({ role }) => role === "user") ?? { role: "user", content: "" };
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

/** A call that never reached the environment is worth nothing. */
const worthless = { reward: 0, parts: undefined, info: {}, faults: [] };
const nothing: Judgement = { ...worthless, terminated: false, truncated: false };

function recordedReply({ userReply, ending }: Turn): UserReply | undefined {
  return userReply && { text: textOf(userReply), isLast: ending === "user_stop" };
}
