import { messageOf } from "@biplane/core/internal";
import { RepeatedWork } from "../../store/repeated-work.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { NotificationRow } from "../../store/tables.ts";
import type { Approval } from "../approvals/approval.ts";
import type { NotificationMessage, RequestedMessage } from "./notification-message.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import type { NotificationTarget, SendResult } from "./notification-target.ts";

export interface NotifierOptions {
  readonly store: SqlStore;
  readonly queue: DeliveryQueue;
  readonly targets: readonly NotificationTarget[];
  readonly approvals: {
    get(id: string): Promise<Approval | undefined>;
    onChange(listener: (approval: Approval) => void): () => void;
  };
  /** The links of a message. */
  readonly linksOf: (
    row: NotificationRow,
    target: NotificationTarget,
  ) => Pick<RequestedMessage, "url" | "queueUrl" | "answerUrl">;
  readonly onFault: (fault: unknown) => void;
  /** How often to look for messages that are due (default: 2,000). */
  readonly pollMs?: number;
  /** How long a process has to send a message before another one may (default: 60,000). */
  readonly leaseMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * Sends the messages of the queue: at once, then with growing pauses until the question is answered or expires. Each
 * target has a pause after a message, so that many questions at once do not become as many messages at once.
 */
export class Notifier implements AsyncDisposable {
  readonly #options: NotifierOptions;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  readonly #sending = new Map<Promise<void>, NotificationTarget>();
  /** Targets that were sent a message just now. */
  readonly #resting = new Set<NotificationTarget>();
  readonly #unsubscribe: () => void;
  readonly #looking: RepeatedWork;
  #prunedAt = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#looking = new RepeatedWork(() => this.#look(), {
      everyMs: options.pollMs ?? 2000,
      onFault: (fault, isRepeated) => isRepeated || options.onFault(fault),
    });
    this.#unsubscribe = options.approvals.onChange(() => this.#wake());
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    this.#stop.abort();
    await this.#looking[Symbol.asyncDispose]();
    await Promise.all(this.#sending.keys());
  }

  #wake(): void {
    if (!this.#stop.signal.aborted) void this.#looking.run();
  }

  async #look(): Promise<void> {
    const { queue, leaseMs = 60_000 } = this.#options;
    const now = this.#now();
    if (now - this.#prunedAt > 3_600_000) {
      this.#prunedAt = now;
      await queue.prune(now - keepMs);
    }
    for (const target of this.#options.targets)
      while (this.#isFree(target)) {
        const limit = target.isGrouped ? maxGroup : 1;
        const rows = await queue.claim({ target: target.name, now: this.#now(), leaseMs, limit });
        if (rows.length === 0) break;
        this.#start(target, rows);
      }
  }

  #isFree(target: NotificationTarget): boolean {
    if (this.#stop.signal.aborted || this.#resting.has(target)) return false;
    const own = [...this.#sending.values()].filter((each) => each === target);
    return own.length < (target.isGrouped ? 1 : maxSending);
  }

  #start(target: NotificationTarget, rows: readonly NotificationRow[]): void {
    if (target.pauseMs > 0) {
      this.#resting.add(target);
      setTimeout(() => {
        this.#resting.delete(target);
        this.#wake();
      }, target.pauseMs).unref();
    }
    const sending = this.#deliver(target, rows)
      .catch((fault: unknown) => this.#options.onFault(fault))
      .finally(() => {
        this.#sending.delete(sending);
        this.#wake();
      });
    this.#sending.set(sending, target);
  }

  async #deliver(target: NotificationTarget, rows: readonly NotificationRow[]): Promise<void> {
    const { queue } = this.#options;
    const messages: NotificationMessage[] = [];
    const due: NotificationRow[] = [];
    for (const row of rows) {
      const message = await this.#messageOf(target, row);
      if (!message) {
        await queue.finish(row, { status: "dropped", error: "The call is no longer waiting." });
        continue;
      }
      messages.push(message);
      due.push(row);
    }
    if (messages.length === 0) return;
    if (await this.#isGone(target)) {
      for (const row of due)
        await queue.finish(row, { status: "failed", error: "The target answered 410 Gone before." });
      return;
    }
    const { signal } = this.#stop;
    const result = await target
      .send(messages, signal)
      .catch((error: unknown) => ({ status: "retry" as const, reason: messageOf(error), afterMs: undefined }));
    if (result.status === "failed" && result.isGone)
      await this.#options.store.put(gone, target.name, { fingerprint: target.fingerprint });
    for (const row of due) await this.#settle(row, result);
  }

  async #settle(row: NotificationRow, result: SendResult): Promise<void> {
    const { queue } = this.#options;
    if (result.status === "sent") return queue.finish(row, { status: "sent", sent_at: this.#now() });
    // This process ends, so another one, or the next, sends the message.
    if (this.#stop.signal.aborted) return queue.postpone(row, { next_at: this.#now(), error: result.reason });
    if (result.status === "failed") return queue.finish(row, { status: "failed", error: result.reason });
    const next = this.#now() + Math.max(this.#pauseMs(row.attempts), result.afterMs ?? 0);
    if (next >= row.expires_at) return queue.finish(row, { status: "failed", error: result.reason });
    await queue.postpone(row, { next_at: next, error: result.reason });
  }

  /** Undefined if the question was answered meanwhile, or deleted. */
  async #messageOf(target: NotificationTarget, row: NotificationRow): Promise<NotificationMessage | undefined> {
    const { id, kind } = row;
    const found = await this.#options.approvals.get(`${row.approval}.${row.round}`);
    if (!found || (kind === "requested") !== (found.status === "waiting")) return undefined;
    // Messages about many calls do not show their inputs, which may be long.
    const approval = target.isGrouped ? { ...found, input: undefined } : found;
    const { url, queueUrl, answerUrl } = this.#options.linksOf(row, target);
    return kind === "requested"
      ? { kind, id, approval, url, queueUrl, answerUrl }
      : { kind, id, approval, url, queueUrl };
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

/** Of one target at a time. */
const maxSending = 8;
/** How many messages are sent as one. */
const maxGroup = 2000;
const keepMs = 30 * 86_400_000;
/** The store's collection of targets that answered 410. One is tried again when its fingerprint changes. */
const gone = "notification-targets-gone";
