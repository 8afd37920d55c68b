import { randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { NotificationTarget } from "./notification-target.ts";

/** How a test ended. */
export interface TestResult {
  readonly status: "sent" | "failed";
  readonly error: string | null;
}

/** Sends test messages at once, without the queue and without retries, at most one in some seconds to a target. */
export class TargetTester {
  readonly #targets: readonly NotificationTarget[];
  readonly #now: () => number;
  readonly #testedAt = new Map<string, number>();

  constructor(targets: readonly NotificationTarget[], now: () => number = Date.now) {
    this.#targets = targets;
    this.#now = now;
  }

  /** Undefined if there is no such target. */
  async test(name: string, by: Principal): Promise<TestResult | undefined> {
    const target = this.#targets.find((each) => each.name === name);
    if (!target) return undefined;
    const now = this.#now();
    const waitMs = (this.#testedAt.get(name) ?? -Infinity) + pauseMs - now;
    if (waitMs > 0)
      throw new BiplaneError(
        "RATE_LIMITED",
        `A test was sent to ${name} a moment ago. Try again in ${Math.ceil(waitMs / 1000)} s.`,
        { details: { retryAfterMs: waitMs } },
      );
    this.#testedAt.set(name, now);
    const id = `msg_${randomBytes(16).toString("hex")}`;
    const message = { kind: "test", id, target: name, by: by.id, at: new Date(now).toISOString() } as const;
    try {
      const result = await target.send([message], AbortSignal.timeout(timeoutMs));
      return result.status === "sent" ? { status: "sent", error: null } : { status: "failed", error: result.reason };
    } catch (error) {
      return { status: "failed", error: messageOf(error) };
    }
  }
}

const pauseMs = 5000;
const timeoutMs = 20_000;
