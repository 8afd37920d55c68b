import { randomUUID } from "node:crypto";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { ServerCore } from "../../server/server-core.ts";
import { invalidRequestState, inputRequired, invalidParams, createLiveCall } from "./call-tool.ts";
import type { CallTarget } from "./call-tool.ts";
import { capabilityFor, supportsTasks } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import { maxMessageLength } from "./session-relay.ts";
import { LiveTask, TaskPeer, changed, isOver } from "./live-task.ts";
import type { TaskRecord, TaskRequest, TaskStorage, TaskWait } from "./live-task.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import type { Principal } from "../../tool/call.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** Returns the tasks of a server. All its endpoints share them. */
export function mcpTasksOf(server: ServerCore): McpTasks {
  let tasks = tasksByServer.get(server);
  if (!tasks) tasksByServer.set(server, (tasks = new McpTasks(server)));
  return tasks;
}

const tasksByServer = new WeakMap<ServerCore, McpTasks>();

/**
 * MCP tasks: calls that continue after their response. A task is stored before the caller learns its id. If its process
 * ends, another one runs it again, unless the tool may have run and running it twice would matter.
 */
export class McpTasks {
  readonly #server: ServerCore;
  readonly #live = new Map<string, LiveTask>();
  readonly #listeners = new Set<TaskListener>();
  /** The ids that this process had until the others gave it up. */
  readonly #formerProcesses = new Set<string>();
  #isReleased = false;
  #sweptTo = "";

  constructor(server: ServerCore) {
    this.#server = server;
    const { fleet } = server;
    fleet?.receive(this.#topic, (data) => this.#receive(data as TaskMessage));
    fleet?.onReplaced((formerId) => {
      this.#formerProcesses.add(formerId);
      // It keeps the tasks that no other process has taken over.
      for (const task of this.#live.values()) task.changeInBackground({});
    });
  }

  onChange(listener: TaskListener): void {
    this.#listeners.add(listener);
  }

  /** Leaves the tasks that end because the server closes to other processes, or to the next start. */
  release(): void {
    this.#isReleased = true;
  }

  /** Serves a `tools/call` that may become a task. Answers with the outcome, or with the task if the call detaches. */
  async call(endpoint: Endpoint, exchange: Exchange, { tool, input }: CallTarget): Promise<McpAnswer> {
    return new Promise((resolve, reject) => {
      let task: LiveTask | undefined;
      let ended: Outcome | undefined;
      const peer = new TaskPeer({ client: exchange.client, exchange }, async (wait) => {
        const request = endpoint.resolver ? undefined : requestOf(call as LiveCall, exchange);
        task = await this.#create(call as LiveCall, { ...wait, owner: ownerOf(exchange), request });
        exchange.running = undefined;
        if (ended) await this.#finish(endpoint, task, ended); // The call was stopped meanwhile.
        resolve({ result: endpoint.encoder.result("modern", { resultType: "task", ...publicFields(task.record) }) });
        return task;
      });
      const call = createLiveCall(endpoint, exchange, { tool, input, peer });
      if (!call) return resolve(invalidRequestState());
      exchange.running = call;
      const settle = async (outcome: Outcome): Promise<void> => {
        ended = outcome;
        if (task) await this.#finish(endpoint, task, outcome);
        else if (outcome.status === "suspended") resolve(inputRequired(endpoint, exchange, { call, outcome }));
        else resolve(endpoint.encoder.call("modern", outcome, this.#outputOf(call)));
      };
      Promise.resolve(this.#server.perform(call)).then(settle).catch(reject);
    });
  }

  async get(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { task, fault } = await this.#find(endpoint, exchange);
    return task ? { result: endpoint.encoder.result("modern", publicFields(task)) } : { fault };
  }

  async update(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { task, fault } = await this.#find(endpoint, exchange);
    if (!task) return { fault };
    const { inputResponses } = exchange.params;
    if (!isRecord(inputResponses)) return invalidParams("inputResponses must be an object");
    const live = this.#live.get(task.taskId);
    if (live) live.answer(inputResponses);
    else if (!isOver(task)) {
      if (JSON.stringify(inputResponses).length > maxMessageLength)
        return invalidParams(`inputResponses is longer than ${maxMessageLength} characters`);
      await this.#send({ kind: "answer", taskId: task.taskId, inputResponses }, task.process);
    }
    return { result: endpoint.encoder.result("modern", {}) };
  }

  async cancel(endpoint: Endpoint, exchange: Exchange): Promise<McpAnswer> {
    const { task, fault } = await this.#find(endpoint, exchange);
    if (!task) return { fault };
    const live = this.#live.get(task.taskId);
    if (live) live.cancel();
    else if (!isOver(task)) await this.#send({ kind: "cancel", taskId: task.taskId }, task.process);
    return { result: endpoint.encoder.result("modern", {}) };
  }

  async #create(call: LiveCall, given: TaskWait & Pick<TaskRecord, "owner" | "request">): Promise<LiveTask> {
    const now = new Date().toISOString();
    const record: TaskRecord = {
      taskId: randomUUID(),
      status: "working",
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: taskTtlMs,
      pollIntervalMs: 1000,
      ...given,
      server: this.#server.name,
      process: this.#server.process,
      hasBegun: call.hasRun,
    };
    const task = this.#start(record, call);
    await this.#save(record);
    await this.#sweep();
    return task;
  }

  #start(record: TaskRecord, call: LiveCall): LiveTask {
    const storage: TaskStorage = { save: (saved) => this.#save(saved), onFault: this.#onFault };
    const task = new LiveTask(record, call, storage);
    this.#live.set(record.taskId, task);
    return task;
  }

  async #finish(endpoint: Endpoint, task: LiveTask, outcome: Outcome): Promise<void> {
    const isStopped = outcome.status === "failed" && outcome.error.code === "CANCELLED" && !task.isUnwanted;
    // Another process runs it again, or says that it may have run.
    if (!(this.#isReleased && task.record.request && (isStopped || canRunAgain(task.record))))
      await task.change(endOf(endpoint, outcome, this.#outputOf(task.call)));
    this.#live.delete(task.record.taskId);
  }

  #outputOf({ tool }: LiveCall): Params | undefined {
    return this.#server.find(tool)?.output?.json;
  }

  async #find(
    endpoint: Endpoint,
    exchange: Exchange,
  ): Promise<{ task: TaskRecord; fault?: never } | { task?: never; fault: RpcFault }> {
    if (!supportsTasks(exchange.client)) {
      const data = { requiredCapabilities: capabilityFor("task") };
      return { fault: { code: rpcCode.missingCapability, message: "Tasks were not declared", data, status: 400 } };
    }
    const { taskId } = exchange.params;
    const task = typeof taskId === "string" ? await this.#load(endpoint, exchange, taskId) : undefined;
    if (task && task.owner === ownerOf(exchange)) return { task };
    const name = typeof taskId === "string" ? taskId.slice(0, 64) : typeof taskId;
    return { fault: { code: rpcCode.invalidParams, message: `Unknown task: ${name}` } };
  }

  async #load(endpoint: Endpoint, exchange: Exchange, taskId: string): Promise<TaskRecord | undefined> {
    const live = this.#live.get(taskId);
    if (live) return live.record;
    const stored = (await (await this.#server.store()).get(collection, taskId)) as TaskRecord | undefined;
    if (!stored || stored.owner !== ownerOf(exchange)) return undefined;
    if (stored.server !== undefined && stored.server !== this.#server.name) return undefined;
    if (isOver(stored) || (await this.#server.isRunning(stored.process))) return stored;
    return this.#takeOver(endpoint, stored, exchange.principal);
  }

  /** Continues a task whose process has ended. One process gets it. */
  async #takeOver(endpoint: Endpoint, stored: TaskRecord, principal: Principal): Promise<TaskRecord> {
    const store = await this.#server.store();
    const taken = (await store.change(collection, stored.taskId, (now) => {
      const isFree = now?.["process"] === stored.process && !isOver(now as TaskRecord);
      return isFree ? { ...now, process: this.#server.process } : now;
    })) as TaskRecord;
    if (taken.process !== this.#server.process || isOver(taken) || this.#live.has(taken.taskId)) return taken;
    const tool = taken.request && this.#server.find(taken.request.tool);
    if (taken.request && tool && (canRunAgain(taken) || tool.idempotent || tool.annotations.readOnlyHint === true))
      return this.#runAgain(endpoint, taken, { ...taken.request, principal });
    const message = "The server stopped while the task was running. Its tool may or may not have run.";
    const lost = changed(taken, failed({ code: rpcCode.internal, message }));
    await this.#save(lost);
    return lost;
  }

  /** With what its owner may do now, which may be less than at the start. */
  #runAgain(
    endpoint: Endpoint,
    record: TaskRecord,
    { client, ...request }: TaskRequest & { readonly principal: Principal },
  ): TaskRecord {
    const peer = new TaskPeer({ client }, () => Promise.resolve(task));
    const call = new LiveCall({ ...request, route: "mcp", peer });
    const task = this.#start(changed(record, { status: "working", inputRequests: {} }), call);
    const run = async () => {
      await call.detach();
      await this.#finish(endpoint, task, await this.#server.perform(call));
    };
    run().catch(this.#onFault);
    return task.record;
  }

  /** Returns false if another process runs the task now. */
  async #save(record: TaskRecord): Promise<boolean> {
    const store = await this.#server.store();
    const { process } = this.#server;
    const isOwn = (owner: unknown) => owner === process || this.#formerProcesses.has(owner as string);
    const saved = await store.change(collection, record.taskId, (now) =>
      now && !isOwn(now["process"]) ? now : { ...record, process },
    );
    if (!isOwn(saved?.["process"])) return false;
    this.#publish(record);
    await this.#send({ kind: "changed", taskId: record.taskId });
    return true;
  }

  #publish(record: TaskRecord): void {
    for (const listener of this.#listeners) listener.onTask(publicFields(record), record);
  }

  async #send(data: TaskMessage, to?: string): Promise<void> {
    await this.#server.fleet?.send({ topic: this.#topic, data, ...(to !== undefined && { to }) });
  }

  #receive(message: TaskMessage): void {
    const { kind, taskId } = message;
    if (kind === "answer") this.#live.get(taskId)?.answer(message.inputResponses);
    else if (kind === "cancel") this.#live.get(taskId)?.cancel();
    else if ([...this.#listeners].some((each) => each.wants(taskId))) this.#republish(taskId).catch(this.#onFault);
  }

  async #republish(taskId: string): Promise<void> {
    const record = (await (await this.#server.store()).get(collection, taskId)) as TaskRecord | undefined;
    if (record) this.#publish(record);
  }

  get #topic(): string {
    return `tasks of ${this.#server.name}`;
  }

  readonly #onFault = (fault: unknown): void => this.#server.report(fault, "a task");

  /** Deletes expired tasks, 20 records per new task, continuing where the last sweep stopped. */
  async #sweep(): Promise<void> {
    const store = await this.#server.store();
    const page = await store.list(collection, { after: this.#sweptTo, limit: 20 });
    this.#sweptTo = page.length < 20 ? "" : (page.at(-1)?.[0] ?? "");
    for (const [key, task] of page) {
      const { createdAt, ttlMs } = task as unknown as TaskRecord;
      if (Date.parse(createdAt) + ttlMs < Date.now() && !this.#live.has(key)) await store.delete(collection, key);
    }
  }
}

/** Hears of tasks that change, in any process. */
export interface TaskListener {
  readonly wants: (taskId: string) => boolean;
  /** Gets the public fields of the task, and its owner. */
  readonly onTask: (task: Params, ownership: { readonly taskId: string; readonly owner: string }) => void;
}

type TaskMessage =
  | { readonly kind: "answer"; readonly taskId: string; readonly inputResponses: Params }
  | { readonly kind: "cancel" | "changed"; readonly taskId: string };

const collection = "tasks";
const taskTtlMs = 3_600_000;
/** A longer input is not kept, so its task is not run again. */
const maxKeptInput = 256 * 1024;

/** The key by which tasks belong to a principal. */
export function ownerOf({ principal }: Exchange): string {
  return `${principal.kind}:${principal.id}`;
}

function requestOf(call: LiveCall, { client }: Exchange): TaskRequest | undefined {
  const { tool, input, idempotencyKey } = call.original;
  const key = idempotencyKey === undefined ? {} : { idempotencyKey, claim: call.claim };
  const isShort = (JSON.stringify(input) ?? "").length <= maxKeptInput;
  return isShort ? { tool, input, agent: call.agent, client, ...key } : undefined;
}

function canRunAgain({ request, hasBegun }: TaskRecord): boolean {
  return request !== undefined && !hasBegun;
}

/** The fields a client may see. Questions are included only while they are open. */
function publicFields(record: TaskRecord): Params {
  const { owner: _, process: __, request: ___, hasBegun: ____, server: _____, ...known } = record;
  const { usedKeys: ______, inputRequests, ...shown } = known;
  return record.status === "input_required" ? { ...shown, inputRequests } : shown;
}

function endOf(endpoint: Endpoint, outcome: Outcome, schema: Params | undefined): Partial<TaskRecord> {
  if (outcome.status === "suspended") return failed({ code: rpcCode.internal, message: "Suspended" });
  const answer = endpoint.encoder.call("modern", outcome, schema);
  if (answer === "no-response") return { status: "cancelled" };
  if ("fault" in answer) return failed(answer.fault);
  return { status: "completed", result: withoutServerInfo(JSON.parse(String(answer.result)) as Params) };
}

function failed({ code, message, data }: RpcFault): Partial<TaskRecord> {
  return { status: "failed", statusMessage: message, error: { code, message, ...(data !== undefined && { data }) } };
}

/** The result of a call without the server's name, which the response has. Clients demand its `resultType`. */
function withoutServerInfo(answer: Params): Params {
  const { _meta, ...result } = answer;
  const { [metaKey.serverInfo]: _, ...meta } = isRecord(_meta) ? _meta : {};
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result;
}
