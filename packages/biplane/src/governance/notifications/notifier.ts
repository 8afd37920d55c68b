import { messageOf } from "@biplane/core/internal";
import type { SqlStore } from "../../store/sql-store.ts";
import type { NotificationRow } from "../../store/tables.ts";
import type { Approval } from "../approvals/approval.ts";
import type { ApprovalMessage } from "./approval-message.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import type { NotificationTarget } from "./notification-target.ts";

export interface NotifierOptions {
  readonly store: SqlStore;
  readonly queue: DeliveryQueue;
  readonly targets: readonly NotificationTarget[];
  readonly approvals: {
    get(id: string): Promise<Approval | undefined>;
    onChange(listener: (approval: Approval) => void): () => void;
  };
  /** The links of a message. */
  readonly linksOf: (row: NotificationRow, target: NotificationTarget) => Pick<ApprovalMessage, "url" | "answerUrl">;
  readonly onFault: (fault: unknown) => void;
  /** How often to look for messages that are due (default: 2,000). */
  readonly pollMs?: number;
  /** How long a process has to send a message before another one may (default: 60,000). */
  readonly leaseMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** Sends the messages of the queue: at once, then with growing pauses until the question is answered or expires. */
export class Notifier implements AsyncDisposable {
  readonly #options: NotifierOptions;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isFailing = false;
  #prunedAt = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#unsubscribe = options.approvals.onChange(({ status }) => {
      if (status === "waiting") this.#wake();
    });
    this.#timer = setInterval(() => this.#wake(), options.pollMs ?? 2000).unref();
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.#stop.abort();
    await this.#looking;
    await Promise.all(this.#sending);
  }

  /** Never rejects. */
  #wake(): void {
    if (this.#stop.signal.aborted) return;
    this.#looking ??= this.#look()
      .then(
        () => {
          this.#isFailing = false;
        },
        (fault: unknown) => {
          if (!this.#isFailing) this.#options.onFault(fault);
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const { queue, leaseMs = 60_000 } = this.#options;
    const now = this.#now();
    if (now - this.#prunedAt > 3_600_000) {
      this.#prunedAt = now;
      await queue.prune(now - keepMs);
    }
    while (this.#sending.size < maxSending && !this.#stop.signal.aborted) {
      const claimed = await queue.claim({ now: this.#now(), leaseMs, limit: maxSending - this.#sending.size });
      if (claimed.length === 0) return;
      for (const row of claimed) this.#start(row);
    }
  }

  #start(row: NotificationRow): void {
    const sending = this.#deliver(row)
      .catch((fault: unknown) => this.#options.onFault(fault))
      .finally(() => {
        this.#sending.delete(sending);
        this.#wake();
      });
    this.#sending.add(sending);
  }

  async #deliver(row: NotificationRow): Promise<void> {
    const { queue, approvals, targets, linksOf } = this.#options;
    const target = targets.find(({ name }) => name === row.target);
    const approval = await approvals.get(`${row.approval}.${row.round}`);
    if (!target || approval?.status !== "waiting")
      return queue.finish(row, { status: "dropped", error: "The call no longer waits." });
    if (await this.#isGone(target))
      return queue.finish(row, { status: "failed", error: "The target answered 410 Gone before." });
    const { signal } = this.#stop;
    const result = await target
      .send({ id: row.id, approval, ...linksOf(row, target) }, signal)
      .catch((error: unknown) => ({ status: "retry" as const, reason: messageOf(error), afterMs: undefined }));
    if (result.status === "sent") return queue.finish(row, { status: "sent", sent_at: this.#now() });
    // This process ends, so another one, or the next, sends the message.
    if (signal.aborted) return queue.postpone(row, { next_at: this.#now(), error: result.reason });
    if (result.status === "failed") {
      if (result.isGone) await this.#options.store.put(gone, target.name, { fingerprint: target.fingerprint });
      return queue.finish(row, { status: "failed", error: result.reason });
    }
    const next = this.#now() + Math.max(this.#pauseMs(row.attempts), result.afterMs ?? 0);
    if (next >= row.expires_at) return queue.finish(row, { status: "failed", error: result.reason });
    await queue.postpone(row, { next_at: next, error: result.reason });
  }

  async #isGone({ name, fingerprint }: NotificationTarget): Promise<boolean> {
    return (await this.#options.store.get(gone, name))?.["fingerprint"] === fingerprint;
  }

  /** Doubles from five seconds to half an hour, and varies by a fifth, so that servers do not return all at once. */
  #pauseMs(attempts: number): number {
    const { random = Math.random } = this.#options;
    return Math.min(1_800_000, 5000 * 2 ** (attempts - 1)) * (0.8 + 0.4 * random());
  }
}

const maxSending = 8;
const keepMs = 30 * 86_400_000;
/** The store's collection of targets that answered 410. One is tried again when its fingerprint changes. */
const gone = "notification-targets-gone";
