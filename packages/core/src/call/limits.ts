import type { BiplaneError } from "../errors.ts";
import { refusal } from "./refusal.ts";
import type { Principal } from "../tool/call.ts";
import { callerOf } from "./caller-of.ts";
import type { LiveCall } from "./live-call.ts";
import type { Mode } from "./policy.ts";
import { chain } from "../chain.ts";
import { TokenBuckets } from "./token-bucket.ts";
import type { Rate, TakeToken } from "./token-bucket.ts";

export interface LimitOptions {
  /** Per principal, over every MCP request and call (default: none). */
  readonly perPrincipal?: Rate | false;
  /** Per tool, over all callers. */
  readonly perTool?: Readonly<Record<string, Rate>>;
  /** Over all calls. */
  readonly global?: Rate;
  /** Maximum number of calls that run at the same time. */
  readonly concurrency?: {
    readonly perPrincipal?: number;
    readonly perTool?: Readonly<Record<string, number>>;
    readonly global?: number;
  };
}

/** Rate and concurrency limits. In-process calls and steps of simulated episodes are exempt, to keep training fast. */
export class Limits {
  readonly #options: LimitOptions;
  readonly #local = new TokenBuckets(Date.now);
  readonly #shared: () => TakeToken | undefined;
  readonly #running = new Map<string, number>();
  readonly #keys = new WeakMap<Principal, string>();

  /** `shared` returns the buckets of a fleet, if several processes share the rates. */
  constructor(options: LimitOptions, shared: () => TakeToken | undefined = () => undefined) {
    this.#options = options;
    this.#shared = shared;
  }

  /** Counts a call; throws `RATE_LIMITED` above the limit. Waits only if several processes share the rates. */
  count(call: LiveCall, mode: Mode): void | Promise<void> {
    if (isExempt(call, mode)) return;
    const { perTool, global } = this.#options;
    const counted = this.countRequest(call.principal);
    if (!perTool && !global) return counted;
    const toolRate = perTool && Object.hasOwn(perTool, call.tool) ? perTool[call.tool] : undefined;
    const countedTool = chain(counted, () => this.#take(`tool ${call.tool}`, toolRate));
    return chain(countedTool, () => this.#take("global", global));
  }

  /** Counts a request, which may be a call. */
  countRequest(principal: Principal): void | Promise<void> {
    const { perPrincipal } = this.#options;
    if (perPrincipal) return this.#take(this.#keyOf(principal), perPrincipal);
  }

  /** Takes a concurrency slot; the returned function releases it. */
  enter(call: LiveCall, mode: Mode): (() => void) | undefined {
    const { concurrency } = this.#options;
    if (!concurrency || isExempt(call, mode)) return undefined;
    const { perPrincipal, perTool, global } = concurrency;
    const slots: [string, number | undefined][] = [
      [this.#keyOf(call.principal), perPrincipal],
      [`tool ${call.tool}`, perTool && Object.hasOwn(perTool, call.tool) ? perTool[call.tool] : undefined],
      ["global", global],
    ];
    const taken = slots.filter(([, max]) => max !== undefined);
    for (const [key, max = Infinity] of taken) if ((this.#running.get(key) ?? 0) >= max) throw tooMany(1000);
    for (const [key] of taken) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return () => {
      for (const [key] of taken) this.#leave(key);
    };
  }

  /** Cached, because a connection reuses its principal object for every call. */
  #keyOf(principal: Principal): string {
    let key = this.#keys.get(principal);
    if (key === undefined) this.#keys.set(principal, (key = `principal ${callerOf(principal)}`));
    return key;
  }

  #take(key: string, rate: Rate | undefined): void | Promise<void> {
    if (!rate) return;
    const taken = this.#shared()?.(key, rate) ?? this.#local.take(key, rate);
    return chain(taken, (waitMs) => {
      if (waitMs > 0) throw tooMany(waitMs);
    });
  }

  #leave(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}

function isExempt(call: LiveCall, mode: Mode): boolean {
  return call.route === "direct" || (call.scope !== undefined && mode === "simulation");
}

function tooMany(retryAfterMs: number): BiplaneError {
  return refusal("RATE_LIMITED", "Rate limit exceeded. Please try again later.", {
    details: { retryAfterMs },
  });
}
