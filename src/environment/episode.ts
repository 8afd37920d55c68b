import { randomUUID } from "node:crypto";
import { Belongings } from "../call/belongings.ts";
import type { LiveCall, StepResult } from "../call/live-call.ts";
import type { Scope } from "../call/scope.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import type { Tool } from "../tool/tool.ts";
import { contentOf } from "../tool/content.ts";
import { chain } from "./chain.ts";
import { copyState } from "./copy-state.ts";
import type { Rules } from "./rules.ts";
import { restoreRandom } from "./random/random.ts";
import type { Random } from "./random/random.ts";
import { addRewards } from "./reward.ts";
import type { Rewarded, Step } from "./reward.ts";
import type { Standing } from "./options.ts";
import { Turns } from "./turns.ts";

/** One isolated run of an environment. */
export class Episode implements Scope {
  /** Made here, and not to be guessed. */
  readonly id = randomUUID();
  readonly seed: number | bigint;
  readonly config: unknown;
  readonly live: unknown;
  /** What the agent saw first. */
  readonly firstObservation: unknown;
  /** A client's own name for it. */
  readonly label: string | undefined;
  readonly startedAt = new Date();
  lastUsed = Date.now();
  state: unknown;
  stepCount: number;
  totalReward: number;
  last: Rewarded;
  terminated: boolean;
  truncated: boolean;
  /** What went wrong in `reward` or `status` at the last step; the call itself never fails for it. */
  fault: string | undefined;
  readonly belongings: Belongings;
  /** For calls whose episode is this one. */
  readonly asScope = (): this => this;
  readonly #rules: Rules;
  #random: Random;
  readonly #turns = new Turns();

  constructor(rules: Rules, begin: EpisodeBegin) {
    this.#rules = rules;
    this.seed = begin.seed;
    this.config = begin.config;
    this.live = begin.live;
    this.label = begin.label;
    this.state = begin.state;
    this.#random = begin.random;
    this.firstObservation = begin.firstObservation;
    this.stepCount = begin.stepCount ?? 0;
    this.totalReward = begin.totalReward ?? 0;
    this.last = begin.last ?? { reward: 0, parts: undefined };
    this.terminated = begin.terminated ?? false;
    this.truncated = begin.truncated ?? false;
    this.belongings = new Belongings(begin.belongings);
  }

  get isOver(): boolean {
    return this.terminated || this.truncated;
  }

  get standing(): Standing<unknown, unknown> {
    return { config: this.config, live: this.live, stepCount: this.stepCount };
  }

  /** Where the randomness stands. */
  get random(): Random {
    return this.#random;
  }

  /** Runs `work` while no step is under way. */
  async exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    const holder = {};
    await this.#turns.take(holder);
    try {
      return await work();
    } finally {
      this.#turns.give(holder);
    }
  }

  /** Calls take turns; the calls that a call makes itself are within its turn, one at a time. */
  enter(call: LiveCall): void | Promise<void> {
    this.lastUsed = Date.now();
    const waiting = this.#turns.take(call, call.request.parent);
    return waiting ? waiting.then(() => this.#begin(call)) : this.#begin(call);
  }

  observe(call: LiveCall): unknown {
    return this.#rules.observe(call.state, { ...this.standing, stepCount: this.stepCount + 1 });
  }

  commit(call: LiveCall, { tool, input, value }: { tool: Tool; input: unknown; value: unknown }): void | Promise<void> {
    const before = this.state;
    const after = call.state;
    this.state = after;
    this.stepCount++;
    if (call.drewRandom) this.#random = call.random as Random;
    const outcome = { status: "done" as const, value, content: contentOf(value) };
    return this.#judge(call, { before, after, tool: tool.name, input, outcome });
  }

  leave(call: LiveCall): void {
    this.#turns.give(call);
  }

  #begin(call: LiveCall): void {
    if (this.isOver) {
      this.#turns.give(call);
      throw new BiplaneError("EPISODE_ENDED", "The episode has ended; reset to play on");
    }
    call.state = this.#rules.isReadOnly(call.tool) ? this.state : copyState(this.state);
    call.config = this.config;
    call.live = this.live;
    call.drawRandom = () => restoreRandom(this.#random.save());
  }

  /** Rewards and statuses that break are told on the control plane, and the call goes out all the same. */
  #judge(call: LiveCall, step: Step<unknown>): void | Promise<void> {
    this.fault = undefined;
    const note = (where: string) => (error: unknown) => {
      this.fault = `${where} failed: ${messageOf(error)}`;
      this.#rules.report(error, `${where} of an episode`);
      return undefined;
    };
    const rewarded = attempt(() => this.#rules.reward(step), note("reward"));
    return chain(rewarded, (reward) => {
      const status = attempt(() => this.#rules.status(step.after, this.standing), note("status"));
      return chain(status, (late) => this.#settle(call, reward ?? { reward: null, parts: undefined }, late));
    });
  }

  #settle(call: LiveCall, last: Rewarded, status: { terminated: boolean; truncated?: boolean } | undefined): void {
    this.last = last;
    this.totalReward += last.reward ?? 0;
    this.terminated = status?.terminated ?? false;
    this.truncated = status?.truncated ?? false;
    const { terminated, truncated, stepCount } = this;
    const result: StepResult = { ...last, terminated, truncated, stepCount };
    call.step = result;
    if (call.root !== call) this.#addTo(call.root, result);
  }

  /** A call that makes others is worth what they are worth together. */
  #addTo(root: LiveCall, step: StepResult): void {
    const sum = root.step ? addRewards(root.step, step) : { reward: step.reward, parts: step.parts };
    root.step = { ...step, ...sum };
    this.last = sum;
  }
}

export interface EpisodeBegin {
  readonly seed: number | bigint;
  readonly config: unknown;
  readonly live: unknown;
  readonly label?: string | undefined;
  readonly state: unknown;
  readonly random: Random;
  readonly firstObservation: unknown;
  readonly stepCount?: number;
  readonly totalReward?: number;
  readonly last?: Rewarded;
  readonly terminated?: boolean;
  readonly truncated?: boolean;
  readonly belongings?: Readonly<Record<string, unknown>> | undefined;
}

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
