import { movedError } from "../call/step.ts";
import { EpisodeResources } from "../call/episode-resources.ts";
import type { LiveCall, StepResult } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import type { Scope } from "../call/scope.ts";
import { BiplaneError, asBiplaneError, messageOf } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { contentOf } from "../tool/content.ts";
import { chain } from "../chain.ts";
import { copyState } from "./copy-state.ts";
import { firstFailure, makeFailure } from "./failure.ts";
import type { Failure, FailureKind } from "./failure.ts";
import type { Rules } from "./rules.ts";
import { restoreRandom } from "./random/random.ts";
import type { Random } from "./random/random.ts";
import { addRewards } from "./reward.ts";
import type { Rewarded, RewardStep } from "./reward.ts";
import type { EpisodeContext, Termination } from "./options.ts";
import { EpisodeLock } from "./episode-lock.ts";
import { playerOf } from "./episode-caller.ts";
import type { EpisodeCaller } from "./episode-caller.ts";
import { answerOf } from "../call/stored-answer.ts";
import { addAnswer, noAnswers, recallRecent } from "./recent-answers.ts";
import type { RecentAnswers } from "./recent-answers.ts";

/** One isolated run of an environment. */
export class Episode implements Scope {
  /** Unguessable, because it grants access. */
  readonly id: string;
  readonly seed: number | bigint;
  readonly config: unknown;
  readonly live: unknown;
  /** What the agent saw first. */
  readonly firstObservation: unknown;
  /** A name given by the client. */
  readonly label: string | undefined;
  /** The agent that it is counted for. */
  readonly agent: string | undefined;
  readonly startedAt: Date;
  lastUsed = Date.now();
  /** Who made the last step. Undefined before the first one. */
  player: EpisodeCaller | undefined;
  state: unknown;
  stepCount: number;
  /** The sum of the rewards so far, masked or not. */
  earned: number;
  last: Rewarded;
  terminated: boolean;
  truncated: boolean;
  #failure: Failure | undefined;
  /** True once it has been removed from its environment: by a trainer, when idle, or for another episode. */
  isClosed = false;
  /** True if another process continues it, or if its last step could not be saved. The stored episode counts. */
  isStale = false;
  /** How often it was saved. */
  revision: number;
  /** Answers of steps that have a key, for clients that send them again. */
  recent: RecentAnswers;
  readonly #save: SaveEpisode | undefined;
  /** True if a step has not been saved. */
  #isDirty = false;
  #endWasReported = false;
  readonly resources: EpisodeResources;
  /** For `CallRequest.scope`. */
  readonly asScope = (): this => this;
  readonly #rules: Rules;
  #random: Random;
  readonly #lock = new EpisodeLock();

  constructor(rules: Rules, init: EpisodeInit) {
    this.#rules = rules;
    this.id = init.id;
    this.startedAt = init.startedAt ?? new Date();
    this.revision = init.revision ?? 0;
    this.recent = init.recent ?? noAnswers;
    this.#failure = init.failure;
    this.#save = init.save;
    this.seed = init.seed;
    this.config = init.config;
    this.live = init.live;
    this.label = init.label;
    this.agent = init.agent;
    this.player = init.player;
    this.state = init.state;
    this.#random = init.random;
    this.firstObservation = init.firstObservation;
    this.stepCount = init.stepCount ?? 0;
    this.earned = init.earned ?? 0;
    this.last = init.last ?? { reward: 0, parts: undefined };
    this.terminated = init.terminated ?? false;
    this.truncated = init.truncated ?? false;
    this.resources = new EpisodeResources(init.resources);
  }

  /** What went wrong first. It stays, because what was lost does not come back. Trainers see it, agents do not. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Null if a failure masks the episode: then nobody knows what it was worth. */
  get totalReward(): number | null {
    return this.#failure?.masked ? null : this.earned;
  }

  get isOver(): boolean {
    return this.terminated || this.truncated;
  }

  /** True if it accepts no more calls. */
  get hasEnded(): boolean {
    return this.isOver || this.isClosed;
  }

  /** True once a call has failed with EPISODE_ENDED. */
  get endWasReported(): boolean {
    return this.#endWasReported;
  }

  get isBusy(): boolean {
    return this.#lock.isHeld;
  }

  get context(): EpisodeContext<unknown, unknown> {
    return { config: this.config, live: this.live, stepCount: this.stepCount };
  }

  /** The current random state. */
  get random(): Random {
    return this.#random;
  }

  /** Runs `work` between steps. */
  async exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    const holder = {};
    await this.#lock.acquire(holder);
    try {
      return await work();
    } finally {
      this.#lock.release(holder);
    }
  }

  /** Calls run one at a time. Calls made by a call's code run within its turn, also one at a time. */
  enter(call: LiveCall): void | Promise<void> {
    this.lastUsed = Date.now();
    const waiting = this.#lock.acquire(call, call.request.parent);
    return waiting ? waiting.then(() => this.#begin(call)) : this.#begin(call);
  }

  observe(call: LiveCall): unknown {
    return this.#observe(call.state, { ...this.context, stepCount: this.stepCount + 1 });
  }

  /** What the agent may see now. */
  look(): unknown {
    return this.#observe(this.state, this.context);
  }

  #observe(state: unknown, context: EpisodeContext<unknown, unknown>): unknown {
    const note = (error: unknown): never => {
      this.fail("environment", `observe failed: ${messageOf(error)}`);
      throw error;
    };
    return attempt(() => this.#rules.observe(state, context), note);
  }

  /** Notes why the episode cannot reach its own end. The first failure counts, but a masked one replaces another. */
  fail(kind: FailureKind, message: string): void {
    const found = firstFailure(this.#failure, makeFailure(kind, message, this.#rules.options.masks));
    if (found === this.#failure) return;
    this.#failure = found;
    this.#isDirty = true;
    if (found?.masked) this.last = noReward;
  }

  /** Notes a call that failed. Most errors are for the agent to read, and the episode goes on. */
  noteError({ code, message }: BiplaneError): void {
    const kind = kindOfError[code];
    if (kind && makeFailure(kind, message, this.#rules.options.masks).masked) this.fail(kind, message);
  }

  /** True if a step that was not saved has changed nothing, because tools reach only what the episode holds. */
  get isRepeatable(): boolean {
    return this.#rules.options.open === undefined && this.resources.isEmpty;
  }

  /** The kept answer, if the call repeats a step. */
  recall(call: LiveCall): ReturnType<Scope["recall"]> {
    return recallRecent(call, this.recent);
  }

  /** Saves the steps of a call that has ended, if the episode is stored. */
  persist(call: LiveCall, outcome: Outcome): Promise<boolean> | undefined {
    if (!this.#isDirty) return undefined;
    this.#isDirty = false;
    if (this.isStale) return Promise.resolve(false);
    const answer = answerOf(call, outcome);
    if (answer) this.recent = addAnswer(this.recent, answer);
    return this.#save?.(this);
  }

  commit(call: LiveCall, { tool, input, value }: { tool: Tool; input: unknown; value: unknown }): void | Promise<void> {
    const before = this.state;
    const after = call.state;
    this.state = after;
    this.stepCount++;
    this.player = playerOf(call.root.request, this.player);
    this.#isDirty = true;
    if (call.drewRandom) this.#random = call.random as Random;
    const outcome = { status: "done" as const, value, content: contentOf(value) };
    return this.#judge(call, { before, after, tool: tool.name, input, outcome });
  }

  /** The stored episode counts, which has no step of the call. */
  abandon(call: LiveCall): boolean {
    if (!this.#save || this.#rules.options.open) return false;
    if (this.#lock.isHeldBy(call.root)) this.isStale = true;
    return true;
  }

  leave(call: LiveCall): void {
    this.#lock.release(call);
  }

  /** The error for a call after the end. `whatNext` tells the caller how to go on. */
  reportEnd(whatNext: string): BiplaneError {
    this.#endWasReported = true;
    const what = this.isOver
      ? "The episode has ended."
      : "The episode was closed, because it was idle, its place was needed, or a trainer ended it.";
    if (!this.isOver) this.fail("lost", what); // its caller was still playing
    return new BiplaneError("EPISODE_ENDED", `${what} ${whatNext}`);
  }

  #begin(call: LiveCall): void {
    const fault = this.#faultOf(call);
    if (fault) {
      this.#lock.release(call);
      throw fault;
    }
    call.state = this.#rules.isReadOnly(call.tool) ? this.state : copyState(this.state);
    call.config = this.config;
    call.live = this.live;
    call.drawRandom = () => restoreRandom(this.#random.save());
  }

  /** Why no step can be made. A call that was made before needs none. */
  #faultOf(call: LiveCall): BiplaneError | undefined {
    if (this.isStale) return movedError();
    try {
      if (this.recall(call)) return undefined;
    } catch (error) {
      return asBiplaneError(error);
    }
    const { request } = call;
    if (this.hasEnded)
      return this.reportEnd(request.route === "step" ? "Reset it to continue." : "It takes no more calls.");
    const { expectedStep } = request;
    if (expectedStep === undefined || expectedStep === this.stepCount) return undefined;
    const message = `The episode is at step ${this.stepCount}, not at step ${expectedStep}. Read its state first.`;
    return new BiplaneError("CONFLICT", message);
  }

  /** Errors of `reward` and `status` are reported to trainers; the agent's call still succeeds. */
  #judge(call: LiveCall, step: RewardStep<unknown>): void | Promise<void> {
    const note = (where: string, kind: FailureKind) => (error: unknown) => {
      this.fail(kind, `${where} failed: ${messageOf(error)}`);
      this.#rules.report(error, `${where} of an episode`);
      return undefined;
    };
    const rewarded = attempt(() => this.#rules.reward(step), note("reward", "judge"));
    return chain(rewarded, (reward) => {
      const status = attempt(() => this.#rules.status(step.after, this.context), note("status", "environment"));
      return chain(status, (late) => this.#settle(call, reward ?? noReward, late));
    });
  }

  #settle(call: LiveCall, given: Rewarded, status: Termination | undefined): void {
    if (status?.failure) this.fail(status.failure.kind, status.failure.message);
    const last = this.#failure?.masked ? noReward : given;
    this.last = last;
    this.earned += last.reward ?? 0;
    this.terminated = status?.terminated ?? false;
    this.truncated = status?.truncated ?? false;
    const { terminated, truncated, stepCount } = this;
    // Without a spread, which took longer than the rest of a small step.
    const result: StepResult = { reward: last.reward, parts: last.parts, terminated, truncated, stepCount };
    call.step = result;
    if (call.root !== call) this.#addTo(call.root, result);
  }

  /** The reward of a composite call is the sum over its inner calls. */
  #addTo(root: LiveCall, step: StepResult): void {
    const before = this.#failure?.masked ? undefined : root.step;
    const sum = before ? addRewards(before, step) : { reward: step.reward, parts: step.parts };
    root.step = { ...step, ...sum };
    this.last = sum;
  }
}

/** Saves an episode after a step. Resolves to false if another process has continued it. */
export type SaveEpisode = (episode: Episode) => Promise<boolean>;

export interface EpisodeInit extends EpisodeOrigin {
  readonly id: string;
}

/** What an episode starts with, or continues from. Only a stored one has an id already. */
export interface EpisodeOrigin {
  readonly id?: string;
  readonly startedAt?: Date;
  readonly revision?: number;
  readonly recent?: RecentAnswers | undefined;
  readonly failure?: Failure | undefined;
  readonly save?: SaveEpisode | undefined;
  readonly seed: number | bigint;
  readonly config: unknown;
  readonly live: unknown;
  readonly label?: string | undefined;
  readonly agent?: string | undefined;
  readonly player?: EpisodeCaller | undefined;
  readonly state: unknown;
  readonly random: Random;
  readonly firstObservation: unknown;
  readonly stepCount?: number;
  readonly earned?: number;
  readonly last?: Rewarded;
  readonly terminated?: boolean;
  readonly truncated?: boolean;
  readonly resources?: Readonly<Record<string, unknown>> | undefined;
}

const noReward: Rewarded = Object.freeze({ reward: null, parts: undefined });

/** Errors of a call that may fail its episode. A tool that throws does so only if the environment masks that. */
const kindOfError: { readonly [Code in ErrorCode]?: FailureKind } = {
  EXECUTION_ERROR: "tool",
  TIMEOUT: "timeout",
  INTERNAL: "infrastructure",
};

function attempt<T>(
  make: () => T | Promise<T>,
  onError: (error: unknown) => undefined,
): T | undefined | Promise<T | undefined> {
  try {
    const made = make();
    return made instanceof Promise ? made.catch(onError) : made;
  } catch (error) {
    return onError(error);
  }
}
