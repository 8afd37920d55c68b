import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import { callerOf } from "./caller-of.ts";
import type { LiveCall } from "./live-call.ts";
import type { Mode } from "./policy.ts";
import { TokenBuckets } from "./token-bucket.ts";
import type { Rate } from "./token-bucket.ts";

export interface LimitOptions {
  /** For each principal. Left out: 10 a second and 20 at once, for callers on the network; false for none. */
  readonly perPrincipal?: Rate | false;
  /** For a tool, whoever calls it. */
  readonly perTool?: Readonly<Record<string, Rate>>;
  /** For all calls together. */
  readonly global?: Rate;
  /** How many calls may run at the same time. */
  readonly concurrency?: {
    readonly perPrincipal?: number;
    readonly perTool?: Readonly<Record<string, number>>;
    readonly global?: number;
  };
}

/**
 * Who may call how often, and how much at once. Calls from this process and steps of episodes in simulation are not
 * counted: training is meant to be fast.
 */
export class Limits {
  readonly #options: LimitOptions;
  readonly #buckets: TokenBuckets;
  readonly #running = new Map<string, number>();
  readonly #keys = new WeakMap<Principal, string>();

  constructor(options: LimitOptions, now: () => number = Date.now) {
    this.#options = options;
    this.#buckets = new TokenBuckets(now);
  }

  /** Counts a call; throws where it is one too many. */
  count(call: LiveCall, mode: Mode): void {
    if (isExempt(call, mode)) return;
    const { perTool, global } = this.#options;
    const rate = this.#principalRate(call);
    if (rate) this.#take(this.#keyOf(call.principal), rate);
    const toolRate = perTool && Object.hasOwn(perTool, call.tool) ? perTool[call.tool] : undefined;
    if (toolRate) this.#take(`tool ${call.tool}`, toolRate);
    if (global) this.#take("global", global);
  }

  /** Takes a place for a call that is about to run; the returned function gives it back. */
  enter(call: LiveCall, mode: Mode): (() => void) | undefined {
    const { concurrency } = this.#options;
    if (!concurrency || isExempt(call, mode)) return undefined;
    const { perPrincipal, perTool, global } = concurrency;
    const places: [string, number | undefined][] = [
      [this.#keyOf(call.principal), perPrincipal],
      [`tool ${call.tool}`, perTool && Object.hasOwn(perTool, call.tool) ? perTool[call.tool] : undefined],
      ["global", global],
    ];
    const taken = places.filter(([, most]) => most !== undefined);
    for (const [key, most = Infinity] of taken) if ((this.#running.get(key) ?? 0) >= most) throw tooMany(1000);
    for (const [key] of taken) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return () => {
      for (const [key] of taken) this.#leave(key);
    };
  }

  #principalRate({ principal }: LiveCall): Rate | undefined {
    const { perPrincipal } = this.#options;
    if (perPrincipal !== undefined) return perPrincipal || undefined;
    return principal.kind === "anonymous" || principal.kind === "token" ? networkRate : undefined;
  }

  /** Wires use the same object for the same caller, so its key is mostly made already. */
  #keyOf(principal: Principal): string {
    let key = this.#keys.get(principal);
    if (key === undefined) this.#keys.set(principal, (key = `principal ${callerOf(principal)}`));
    return key;
  }

  #take(key: string, rate: Rate): void {
    const waitMs = this.#buckets.take(key, rate);
    if (waitMs > 0) throw tooMany(waitMs);
  }

  #leave(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}

const networkRate: Rate = { perSecond: 10, burst: 20 };

function isExempt(call: LiveCall, mode: Mode): boolean {
  return call.route === "direct" || (call.scope !== undefined && mode === "simulation");
}

function tooMany(retryAfterMs: number): BiplaneError {
  return new BiplaneError("RATE_LIMITED", "Rate limit exceeded. Please try again later.", {
    details: { retryAfterMs },
  });
}
