import { errorMeta } from "../../protocol/error-meta.ts";
import type { LiveCall, Peer } from "../../call/live-call.ts";
import type { BiplaneError } from "../../errors.ts";
import type { Params } from "../../protocol/rpc.ts";
import type { AgentContext } from "../../tool/call.ts";
import type { Question } from "../../tool/question.ts";
import { canAnswer } from "./client.ts";
import type { McpClientInfo } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { McpPeer } from "./peer.ts";
import { questionRequest } from "./questions.ts";

export interface TaskRecord extends TaskWait {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly inputRequests?: Params;
  /** The keys of all questions so far. A key names one question for the whole life of a task. */
  readonly usedKeys?: readonly string[];
  readonly result?: unknown;
  readonly error?: unknown;
  readonly owner: string;
  /** The server whose tool it is. */
  readonly server?: string;
  /** The process that runs it. */
  readonly process: string;
  /** What another process needs to run it again. */
  readonly request?: TaskRequest | undefined;
  /** True if the tool may have run. */
  readonly hasBegun: boolean;
}

/** What a task waits for. A client reads it as it reads the error of a failed result. */
export interface TaskWait extends Params {
  readonly statusMessage?: string | undefined;
  readonly _meta?: Params | undefined;
}

export interface TaskRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly agent: AgentContext;
  readonly client: McpClientInfo;
  readonly idempotencyKey?: string | undefined;
  readonly claim?: string | undefined;
}

export function isOver({ status }: TaskRecord): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function changed(record: TaskRecord, change: Partial<TaskRecord>): TaskRecord {
  return { ...record, ...change, lastUpdatedAt: new Date().toISOString() };
}

export interface TaskStorage {
  /** False if another process runs the task now. */
  readonly save: (record: TaskRecord) => Promise<boolean>;
  readonly onFault: (fault: unknown) => void;
}

/** A task whose call runs in this process. */
export class LiveTask {
  readonly call: LiveCall;
  record: TaskRecord;
  /** True if its client has cancelled it. */
  isUnwanted = false;
  readonly #storage: TaskStorage;
  readonly #waiting = new Map<string, (answer: unknown) => void>();
  #saved: Promise<void> = Promise.resolve();

  constructor(record: TaskRecord, call: LiveCall, storage: TaskStorage) {
    this.record = record;
    this.call = call;
    this.#storage = storage;
  }

  /** For its client. */
  cancel(): void {
    this.isUnwanted = true;
    this.call.cancel();
  }

  /** Changes are saved one after the other, so that an earlier one never overwrites a later one. */
  change(change: Partial<TaskRecord>): Promise<void> {
    this.record = changed(this.record, change);
    const save = () => this.#save();
    return (this.#saved = this.#saved.then(save, save));
  }

  /** If another process runs the task now, the call ends here. */
  async #save(): Promise<void> {
    if (!(await this.#storage.save(this.record))) this.call.cancel();
  }

  /** Saves in the background. A failure is reported and does not stop the task. */
  changeInBackground(change: Partial<TaskRecord>): void {
    this.change(change).catch(this.#storage.onFault);
  }

  async ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> {
    const usedKeys = [...(this.record.usedKeys ?? [])];
    const inputRequests: Record<string, unknown> = { ...this.record.inputRequests };
    const answers = Object.entries(questions).map(([key, question]) => {
      const unique = unusedKey(key, usedKeys);
      usedKeys.push(unique);
      inputRequests[unique] = questionRequest(question, "modern");
      return new Promise((resolve) => this.#waiting.set(unique, (answer) => resolve([key, answer])));
    });
    await this.change({ status: "input_required", inputRequests, usedKeys });
    return Object.fromEntries((await Promise.all(answers)) as [string, unknown][]);
  }

  answer(responses: Params): void {
    const open = { ...this.record.inputRequests };
    for (const [key, answer] of Object.entries(responses)) {
      const waiting = this.#waiting.get(key);
      if (!waiting) continue;
      this.#waiting.delete(key);
      delete open[key];
      waiting(answer);
    }
    const status = this.#waiting.size > 0 ? "input_required" : "working";
    if (!isOver(this.record)) this.changeInBackground({ status, inputRequests: open });
  }
}

/** A tool may ask twice under one key. The second question is `key-2`. */
function unusedKey(key: string, used: readonly string[]): string {
  let unique = key;
  for (let count = 2; used.includes(unique); count++) unique = `${key}-${count}`;
  return unique;
}

/** The caller's end of a call that may become a task. Once it has, messages go through the task. */
export class TaskPeer implements Peer {
  readonly #client: McpClientInfo;
  /** The request that made the call. Undefined if the call is made again after its process died. */
  readonly #peer: McpPeer | undefined;
  readonly #becomeTask: (wait: TaskWait) => Promise<LiveTask>;
  #task: LiveTask | undefined;
  #wait: TaskWait = {};

  constructor(
    caller: { client: McpClientInfo; exchange?: Exchange },
    becomeTask: (wait: TaskWait) => Promise<LiveTask>,
  ) {
    this.#client = caller.client;
    this.#peer = caller.exchange && new McpPeer(caller.exchange);
    this.#becomeTask = becomeTask;
  }

  progress(progress: number, options: { total?: number; message?: string }): void {
    if (!this.#task) this.#peer?.progress(progress, options);
    else if (options.message) this.#task.changeInBackground({ statusMessage: options.message });
  }

  log(...line: Parameters<McpPeer["log"]>): void {
    if (!this.#task) this.#peer?.log(...line);
  }

  canAsk(kind: Question["kind"]): boolean {
    return canAnswer(this.#client, kind);
  }

  ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined {
    return this.#task ? this.#task.ask(questions) : this.#peer?.ask(questions);
  }

  async detach(): Promise<void> {
    const wait = this.#wait;
    this.#task = await this.#becomeTask(wait);
    if (this.#wait !== wait) this.#task.changeInBackground(this.#wait); // reported meanwhile
  }

  noteBegin(): Promise<void> | undefined {
    return this.#task?.change({ hasBegun: true });
  }

  reportWait(pending: BiplaneError | undefined): void {
    this.#wait = { statusMessage: pending?.message, _meta: pending && errorMeta(pending) };
    this.#task?.changeInBackground(this.#wait);
  }
}
