import { randomUUID } from "node:crypto";
import type { LiveCall, Peer } from "../../call/live-call.ts";
import type { BiplaneError } from "../../errors.ts";
import { errorMeta } from "../../protocol/error-meta.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { ServerCore } from "../../server/server-core.ts";
import type { Question } from "../../tool/question.ts";
import { invalidRequestState, inputRequired, invalidParams, createLiveCall } from "./call-tool.ts";
import type { CallTarget } from "./call-tool.ts";
import { capabilityFor, supportsTasks } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import { McpPeer } from "./peer.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import { questionRequest } from "./questions.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** Returns the tasks of a server. All its endpoints share them. */
export function mcpTasksOf(server: ServerCore): McpTasks {
  let tasks = tasksByServer.get(server);
  if (!tasks) tasksByServer.set(server, (tasks = new McpTasks(server)));
  return tasks;
}

const tasksByServer = new WeakMap<ServerCore, McpTasks>();

/** MCP tasks: calls that continue after their response. A task is stored before the caller learns its id. */
export class McpTasks {
  readonly #server: ServerCore;
  readonly #live = new Map<string, LiveTask>();
  readonly #listeners = new Set<TaskListener>();
  #sweptTo = "";

  constructor(server: ServerCore) {
    this.#server = server;
  }

  onChange(listener: TaskListener): void {
    this.#listeners.add(listener);
  }

  /** Serves a `tools/call` that may become a task. Answers with the outcome, or with the task if the call detaches. */
  async call(endpoint: Endpoint, exchange: Exchange, { tool, input }: CallTarget): Promise<McpAnswer> {
    return new Promise((resolve, reject) => {
      let task: LiveTask | undefined;
      const peer = new TaskPeer(exchange, async (wait) => {
        task = await this.#create(call as LiveCall, exchange, wait);
        exchange.running = undefined;
        resolve({ result: endpoint.encoder.result("modern", { resultType: "task", ...publicFields(task.record) }) });
        return task;
      });
      const call = createLiveCall(endpoint, exchange, { tool, input, peer });
      if (!call) return resolve(invalidRequestState());
      exchange.running = call;
      const settle = async (outcome: Outcome): Promise<void> => {
        if (task) await this.#finish(endpoint, task, outcome);
        else if (outcome.status === "suspended") resolve(inputRequired(endpoint, exchange, { call, outcome }));
        else resolve(endpoint.encoder.call("modern", outcome, this.#outputOf(call)));
      };
      Promise.resolve(this.#server.perform(call)).then(settle).catch(reject);
    });
  }

  async get(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { task, fault } = await this.#find(exchange);
    return task ? { result: endpoint.encoder.result("modern", publicFields(task)) } : { fault };
  }

  async update(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { task, fault } = await this.#find(exchange);
    if (!task) return { fault };
    const { inputResponses } = exchange.params;
    if (!isRecord(inputResponses)) return invalidParams("inputResponses must be an object");
    this.#live.get(task.taskId)?.answer(inputResponses);
    return { result: endpoint.encoder.result("modern", {}) };
  }

  async cancel(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { task, fault } = await this.#find(exchange);
    if (!task) return { fault };
    this.#live.get(task.taskId)?.call.cancel();
    return { result: endpoint.encoder.result("modern", {}) };
  }

  async #create(call: LiveCall, exchange: Exchange, wait: TaskWait): Promise<LiveTask> {
    const now = new Date().toISOString();
    const record: TaskRecord = {
      taskId: randomUUID(),
      status: "working",
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: taskTtlMs,
      pollIntervalMs: 1000,
      ...wait,
      owner: ownerOf(exchange),
    };
    const onFault = (fault: unknown) => this.#server.report(fault, `task ${record.taskId}`);
    const task = new LiveTask(record, call, { save: (changed) => this.#save(changed), onFault });
    this.#live.set(record.taskId, task);
    await this.#save(record);
    await this.#sweep();
    return task;
  }

  async #finish(endpoint: Endpoint, task: LiveTask, outcome: Outcome): Promise<void> {
    await task.change(endOf(endpoint, outcome, this.#outputOf(task.call)));
    this.#live.delete(task.record.taskId);
  }

  #outputOf({ tool }: LiveCall): Params | undefined {
    return this.#server.find(tool)?.output?.json;
  }

  async #find(exchange: Exchange): Promise<{ task: TaskRecord; fault?: never } | { task?: never; fault: RpcFault }> {
    if (!supportsTasks(exchange.client)) {
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

  /** Deletes expired tasks, 20 records per new task, continuing where the last sweep stopped. */
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

/** Called with the public fields of a changed task, and with its owner. */
type TaskListener = (task: Params, ownership: { readonly taskId: string; readonly owner: string }) => void;

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** What a task waits for. A client reads it as it reads the error of a failed result. */
interface TaskWait extends Params {
  readonly statusMessage?: string | undefined;
  readonly _meta?: Params | undefined;
}

interface TaskRecord extends TaskWait {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly inputRequests?: Params;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly owner: string;
}

interface TaskStorage {
  readonly save: (record: TaskRecord) => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/** A task whose call runs in this process. */
class LiveTask {
  readonly call: LiveCall;
  record: TaskRecord;
  readonly #storage: TaskStorage;
  readonly #waiting = new Map<string, (answer: unknown) => void>();

  constructor(record: TaskRecord, call: LiveCall, storage: TaskStorage) {
    this.record = record;
    this.call = call;
    this.#storage = storage;
  }

  async change(change: Partial<TaskRecord>): Promise<void> {
    this.record = changed(this.record, change);
    await this.#storage.save(this.record);
  }

  /** Saves in the background. A failure is reported and does not stop the task. */
  changeInBackground(change: Partial<TaskRecord>): void {
    this.change(change).catch(this.#storage.onFault);
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
    if (!isOver(this.record)) this.changeInBackground({ status, inputRequests: open });
  }
}

/** The caller's end of a call that may become a task. Once it has, messages go through the task. */
class TaskPeer implements Peer {
  readonly #peer: McpPeer;
  readonly #becomeTask: (wait: TaskWait) => Promise<LiveTask>;
  #task: LiveTask | undefined;
  #wait: TaskWait = {};

  constructor(exchange: Exchange, becomeTask: (wait: TaskWait) => Promise<LiveTask>) {
    this.#peer = new McpPeer(exchange);
    this.#becomeTask = becomeTask;
  }

  progress(progress: number, options: { total?: number; message?: string }): void {
    if (!this.#task) this.#peer.progress(progress, options);
    else if (options.message) this.#task.changeInBackground({ statusMessage: options.message });
  }

  log(...line: Parameters<McpPeer["log"]>): void {
    if (!this.#task) this.#peer.log(...line);
  }

  canAsk(kind: Question["kind"]): boolean {
    return this.#peer.canAsk(kind);
  }

  ask(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined {
    return this.#task ? this.#task.ask(questions) : this.#peer.ask(questions);
  }

  async detach(): Promise<void> {
    const wait = this.#wait;
    this.#task = await this.#becomeTask(wait);
    if (this.#wait !== wait) this.#task.changeInBackground(this.#wait); // reported meanwhile
  }

  reportWait(pending: BiplaneError | undefined): void {
    this.#wait = { statusMessage: pending?.message, _meta: pending && errorMeta(pending) };
    this.#task?.changeInBackground(this.#wait);
  }
}

const collection = "tasks";
const taskTtlMs = 3_600_000;

/** The key by which tasks belong to a principal. */
export function ownerOf({ principal }: Exchange): string {
  return `${principal.kind}:${principal.id}`;
}

function isOver({ status }: TaskRecord): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function changed(record: TaskRecord, change: Partial<TaskRecord>): TaskRecord {
  return { ...record, ...change, lastUpdatedAt: new Date().toISOString() };
}

/** The fields a client may see. Questions are included only while they are open. */
function publicFields(record: TaskRecord): Params {
  const { owner: _, inputRequests, ...shown } = record;
  return record.status === "input_required" ? { ...shown, inputRequests } : shown;
}

function endOf(endpoint: Endpoint, outcome: Outcome, schema: Params | undefined): Partial<TaskRecord> {
  if (outcome.status === "suspended")
    return { status: "failed", error: { code: rpcCode.internal, message: "Suspended" } };
  const answer = endpoint.encoder.call("modern", outcome, schema);
  if (answer === "no-response") return { status: "cancelled" };
  if ("fault" in answer) {
    const { code, message, data } = answer.fault;
    return { status: "failed", error: { code, message, ...(data !== undefined && { data }) } };
  }
  return { status: "completed", result: withoutEnvelope(JSON.parse(String(answer.result)) as Params) };
}

/** The result of a call without what belongs to its response. */
function withoutEnvelope(answer: Params): Params {
  const { _meta, resultType: _, ...result } = answer;
  const { [metaKey.serverInfo]: __, ...meta } = isRecord(_meta) ? _meta : {};
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result;
}
