import { randomUUID } from "node:crypto";
import type { LiveCall, Peer } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Server } from "../../server/server.ts";
import type { Question } from "../../tool/question.ts";
import { badState, inputRequired, invalidParams, liveCall } from "./call-tool.ts";
import { capabilityFor, knowsTasks } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { McpPeer } from "./peer.ts";
import { rpcCode } from "../../protocol/protocol.ts";
import { questionRequest } from "./questions.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";

/** The tasks of a server: the same for every endpoint it is served by. */
export function taskBoardOf(server: Server): TaskBoard {
  let board = boards.get(server);
  if (!board) boards.set(server, (board = new TaskBoard(server)));
  return board;
}

const boards = new WeakMap<Server, TaskBoard>();

/** Calls that go on after their answer. A task is in the store before its caller hears of it. */
export class TaskBoard {
  readonly #server: Server;
  readonly #live = new Map<string, LiveTask>();
  readonly #listeners = new Set<TaskListener>();
  #sweptTo = "";

  constructor(server: Server) {
    this.#server = server;
  }

  onChange(listener: TaskListener): void {
    this.#listeners.add(listener);
  }

  /** A `tools/call` that may become a task: answered by its outcome, or by its task if it detaches first. */
  async call(endpoint: Endpoint, exchange: Exchange, tool: string, input: Params): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let task: LiveTask | undefined;
      const peer = new TaskPeer(exchange, async () => {
        task = await this.#create(call as LiveCall, exchange);
        exchange.running = undefined;
        resolve({ result: endpoint.encoder.result("modern", { resultType: "task", ...publicFields(task.record) }) });
        return task;
      });
      const call = liveCall(endpoint, exchange, tool, input, peer);
      if (!call) return resolve(badState());
      exchange.running = call;
      const settle = async (outcome: Outcome): Promise<void> => {
        if (task) await this.#finish(endpoint, task, outcome);
        else if (outcome.status === "suspended") resolve(inputRequired(endpoint, exchange, call, outcome));
        else resolve(endpoint.encoder.call("modern", outcome));
      };
      Promise.resolve(this.#server.perform(call)).then(settle).catch(reject);
    });
  }

  async get(endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
    const { task, fault } = await this.#find(exchange);
    return task ? { result: endpoint.encoder.result("modern", publicFields(task)) } : { fault };
  }

  async update(endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
    const { task, fault } = await this.#find(exchange);
    if (!task) return { fault };
    const { inputResponses } = exchange.params;
    if (!isObject(inputResponses)) return invalidParams("inputResponses must be an object");
    this.#live.get(task.taskId)?.answer(inputResponses);
    return { result: endpoint.encoder.result("modern", {}) };
  }

  async cancel(endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
    const { task, fault } = await this.#find(exchange);
    if (!task) return { fault };
    this.#live.get(task.taskId)?.call.cancel();
    return { result: endpoint.encoder.result("modern", {}) };
  }

  async #create(call: LiveCall, exchange: Exchange): Promise<LiveTask> {
    const now = new Date().toISOString();
    const record: TaskRecord = {
      taskId: randomUUID(),
      status: "working",
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: keepMs,
      pollIntervalMs: 1000,
      owner: ownerOf(exchange),
    };
    const onFault = (fault: unknown) => this.#server.report(fault, `the task ${record.taskId}`);
    const task = new LiveTask(record, call, { save: (changed) => this.#save(changed), onFault });
    this.#live.set(record.taskId, task);
    await this.#save(record);
    await this.#sweep();
    return task;
  }

  async #finish(endpoint: Endpoint, task: LiveTask, outcome: Outcome): Promise<void> {
    await task.change(endOf(endpoint, outcome));
    this.#live.delete(task.record.taskId);
  }

  async #find(exchange: Exchange): Promise<{ task: TaskRecord; fault?: never } | { task?: never; fault: RpcFault }> {
    if (!knowsTasks(exchange.client)) {
      const data = { requiredCapabilities: capabilityFor("task") };
      return { fault: { code: rpcCode.missingCapability, message: "Tasks were not declared", data, status: 400 } };
    }
    const { taskId } = exchange.params;
    const task = typeof taskId === "string" ? await this.#load(taskId) : undefined;
    if (task && task.owner === ownerOf(exchange)) return { task };
    const name = typeof taskId === "string" ? taskId.slice(0, 64) : typeof taskId;
    return { fault: { code: rpcCode.invalidParams, message: `Unknown task: ${name}` } };
  }

  async #load(taskId: string): Promise<TaskRecord | undefined> {
    const live = this.#live.get(taskId);
    if (live) return live.record;
    const stored = (await (await this.#server.store()).get(collection, taskId)) as TaskRecord | undefined;
    if (!stored || isOver(stored)) return stored;
    const lost = { code: rpcCode.internal, message: "The server stopped while the task was running" };
    const record = changed(stored, { status: "failed", error: lost });
    await this.#save(record);
    return record;
  }

  async #save(record: TaskRecord): Promise<void> {
    await (await this.#server.store()).put(collection, record.taskId, record);
    for (const listener of this.#listeners) listener(publicFields(record), record);
  }

  /** Forgets tasks past their time, a few at each new one: the next time those that come after them. */
  async #sweep(): Promise<void> {
    const store = await this.#server.store();
    const page = await store.list(collection, { after: this.#sweptTo, limit: 20 });
    this.#sweptTo = page.length < 20 ? "" : (page.at(-1)?.[0] ?? "");
    for (const [key, task] of page) {
      const { createdAt, ttlMs } = task as TaskRecord;
      if (Date.parse(createdAt) + ttlMs < Date.now() && !this.#live.has(key)) await store.delete(collection, key);
    }
  }
}

/** Told what a client may see of a task that changed, and of whose client. */
type TaskListener = (task: Params, whose: { readonly taskId: string; readonly owner: string }) => void;

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

interface TaskRecord extends Params {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly statusMessage?: string;
  readonly inputRequests?: Params;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly owner: string;
}

interface Keeping {
  readonly save: (record: TaskRecord) => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/** A task whose call runs in this process. */
class LiveTask {
  readonly call: LiveCall;
  record: TaskRecord;
  readonly #keeping: Keeping;
  readonly #waiting = new Map<string, (answer: unknown) => void>();

  constructor(record: TaskRecord, call: LiveCall, keeping: Keeping) {
    this.record = record;
    this.call = call;
    this.#keeping = keeping;
  }

  async change(change: Partial<TaskRecord>): Promise<void> {
    this.record = changed(this.record, change);
    await this.#keeping.save(this.record);
  }

  /** For what nobody waits for: the task goes on where it cannot be kept. */
  note(change: Partial<TaskRecord>): void {
    this.change(change).catch(this.#keeping.onFault);
  }

  async ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> {
    const answers = Object.keys(questions).map(
      (key) => new Promise((resolve) => this.#waiting.set(key, (answer) => resolve([key, answer]))),
    );
    const asked = Object.entries(questions).map(([key, question]) => [key, questionRequest(question, "modern")]);
    const inputRequests = { ...this.record.inputRequests, ...(Object.fromEntries(asked) as Params) };
    await this.change({ status: "input_required", inputRequests });
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
    if (!isOver(this.record)) this.note({ status, inputRequests: open });
  }
}

/** The caller's end of a call that may become a task; from then on it speaks through the task. */
class TaskPeer implements Peer {
  readonly #before: McpPeer;
  readonly #becomeTask: () => Promise<LiveTask>;
  #task: LiveTask | undefined;

  constructor(exchange: Exchange, becomeTask: () => Promise<LiveTask>) {
    this.#before = new McpPeer(exchange);
    this.#becomeTask = becomeTask;
  }

  progress(progress: number, options: { total?: number; message?: string }): void {
    if (!this.#task) this.#before.progress(progress, options);
    else if (options.message) this.#task.note({ statusMessage: options.message });
  }

  log(...line: Parameters<McpPeer["log"]>): void {
    if (!this.#task) this.#before.log(...line);
  }

  canAsk(kind: Question["kind"]): boolean {
    return this.#before.canAsk(kind);
  }

  ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined {
    return this.#task ? this.#task.ask(questions) : this.#before.ask(questions);
  }

  async detach(): Promise<void> {
    this.#task = await this.#becomeTask();
  }
}

const collection = "tasks";
const keepMs = 3_600_000;

/** Whose tasks an exchange may see. */
export function ownerOf({ principal }: Exchange): string {
  return `${principal.kind}:${principal.id}`;
}

function isOver({ status }: TaskRecord): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function changed(record: TaskRecord, change: Partial<TaskRecord>): TaskRecord {
  return { ...record, ...change, lastUpdatedAt: new Date().toISOString() };
}

/** What a client may see: questions only while they wait. */
function publicFields(record: TaskRecord): Params {
  const { owner: _, inputRequests, ...shown } = record;
  return record.status === "input_required" ? { ...shown, inputRequests } : shown;
}

function endOf(endpoint: Endpoint, outcome: Outcome): Partial<TaskRecord> {
  if (outcome.status === "suspended")
    return { status: "failed", error: { code: rpcCode.internal, message: "Suspended" } };
  const answer = endpoint.encoder.call("modern", outcome);
  if (answer === "silence") return { status: "cancelled" };
  if ("fault" in answer) {
    const { code, message, data } = answer.fault;
    return { status: "failed", error: { code, message, ...(data !== undefined && { data }) } };
  }
  const { _meta, resultType: _, ...result } = JSON.parse(String(answer.result)) as Params;
  return { status: "completed", result };
}
