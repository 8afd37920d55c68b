import type { LiveCall } from "../../call/live-call.ts";
import type { Policy } from "../../call/policy.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import { Catalog } from "../../server/catalog.ts";
import type { CatalogItem } from "../../server/catalog.ts";
import { isRecord } from "../../is-record.ts";
import { rpcCode, tasksExtension } from "../../protocol/protocol.ts";
import { foreignFault } from "../../server/foreign.ts";
import type { Mountable } from "../../server/mount.ts";
import { foreignUi } from "../../tool/app.ts";
import { appMimeType } from "../../tool/mcp-apps.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { Answers } from "../answers.ts";
import type { Client } from "../client.ts";
import { connect } from "../connect.ts";
import { takeInventory } from "../inventory.ts";
import { isConnectionLost } from "../connection-lost.ts";
import type { ConnectOptions, ServerLogMessage, Target } from "../options.ts";
import { rpcErrorOf } from "../response.ts";
import type { ToolResult } from "../results.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { CircuitBreakerOptions, Health } from "./circuit-breaker.ts";
import { HeldCall, HeldCalls } from "./held-call.ts";
import { remotePrompt, remoteResource } from "./remote-reads.ts";
import { remoteSkill } from "./remote-skill.ts";
import { remoteTool } from "./remote-tool.ts";

export interface RemoteOptions extends Omit<ConnectOptions, "answers" | "onLog"> {
  /** Name in error messages (default: "the mounted server"). */
  readonly name?: string;
  /** Time limit per call (default: 30000). */
  readonly callTimeoutMs?: number;
  /** Checks arguments against the tool's schema before policies run (default: true). */
  readonly checkInput?: boolean;
  readonly breaker?: CircuitBreakerOptions;
}

/** Connects to another server, so that it can be mounted. */
export async function remoteServer(target: Target, options: RemoteOptions = {}): Promise<RemoteServer> {
  const remote = new RemoteServer(options);
  await remote.open(target);
  return remote;
}

/** A mountable remote server. Its calls go through a client that reconnects. */
export class RemoteServer implements Mountable, AsyncDisposable {
  readonly catalog = new Catalog();
  readonly redactor = undefined;
  readonly #options: RemoteOptions;
  readonly #breaker: CircuitBreaker;
  readonly #held = new HeldCalls();
  readonly #active = new Set<HeldCall>();
  /** The active calls, and those held for an answer. */
  readonly #unfinished = new Set<HeldCall>();
  #reads = 0;
  #client: Client | undefined;
  #listing: Promise<void> | undefined;
  #isStale = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(this.name, options.breaker);
  }

  get name(): string {
    return this.#options.name ?? "the mounted server";
  }

  get health(): Health {
    return this.#breaker.health;
  }

  get client(): Client {
    if (!this.#client) throw new BiplaneError("INTERNAL", `${this.name} is not connected yet.`);
    return this.#client;
  }

  /** A remote server has no policies here: it applies its own. */
  onPolicy(_adopt: (policy: Policy) => void): () => void {
    return () => undefined;
  }

  async open(target: Target): Promise<void> {
    const onLog = (message: ServerLogMessage) => this.#forwardLog(message);
    const answers = answersFrom(() => this.#onlyCall());
    // Always declare apps: our own clients' support is checked per request.
    this.#client = await connect(target, { apps: true, ...this.#options, answers, onLog });
    try {
      await this.#list();
      await this.#client.onChange((change) => {
        if (typeof change === "object") this.catalog.notify(change);
        else void this.#relist();
      });
    } catch (error) {
      await this.#client.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#held.close();
    await this.#client?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Runs a call. Questions, progress and tasks are forwarded to the caller. */
  async #call(name: string, input: JsonObject, caller: LiveCall): Promise<ToolResult> {
    const held = this.#held.take(caller) ?? this.#begin(name, input, caller);
    this.#active.add(held);
    try {
      return await held.follow(caller);
    } catch (error) {
      if (caller.suspendedOn) this.#held.keep(caller, held);
      throw error;
    } finally {
      this.#active.delete(held);
    }
  }

  #begin(name: string, input: JsonObject, caller: LiveCall): HeldCall {
    const held = new HeldCall(caller, (own) => this.#send(name, input, own));
    this.#unfinished.add(held);
    void held.settled.then(() => this.#unfinished.delete(held));
    return held;
  }

  async #send(name: string, input: JsonObject, held: HeldCall): Promise<ToolResult> {
    await Promise.resolve(); // `follow` has set the caller by then
    const send = (tasks: boolean) =>
      this.client.callTool(name, input, {
        tasks,
        signal: held.signal,
        timeoutMs: Infinity, // the tool's own deadline applies, and pauses during questions
        answers: answersFrom(() => held),
        meta: traceOf(held.caller),
        onProgress: ({ progress, total, message }) =>
          held.caller?.progress(progress, { ...(total !== undefined && { total }), ...(message && { message }) }),
        // Lift the deadline only for callers that support tasks themselves.
        onTask: () => {
          if (!held.caller?.request.peer?.detach) return;
          held.caller.deadline?.stop();
          held.caller
            .detach()
            .catch((error: unknown) => this.#warn(`a call did not become a task: ${messageOf(error)}`));
        },
        onPending: (pending) => held.caller?.reportWait(pending),
      });
    // A caller that cannot wait must learn at once that a call needs approval, so it gets no task if it can be avoided.
    const canWait = held.caller?.request.peer?.detach !== undefined || (held.caller?.patienceMs ?? 0) > 0;
    const sendOrFollow = async () => {
      try {
        return await send(canWait);
      } catch (error) {
        if (canWait || !needsTask(error)) throw error;
        return await send(true);
      }
    };
    return this.#guarded(sendOrFollow, () => held.isLate);
  }

  /** Passes the remote server's protocol errors on unchanged. */
  async #guarded<T>(work: () => Promise<T>, isLate = () => false): Promise<T> {
    try {
      return await this.#breaker.run(work, (error) => isServerFault(error) || isLate());
    } catch (error) {
      const fault = rpcErrorOf(error);
      if (!fault || !(error instanceof BiplaneError)) throw error;
      const { rpc: _, ...details } = error.details ?? {};
      throw new BiplaneError(error.code, fault.message, {
        cause: error,
        details: { ...details, [foreignFault]: fault },
      });
    }
  }

  async #read<T>(work: () => Promise<T>): Promise<T> {
    this.#reads++;
    try {
      return await this.#guarded(work);
    } finally {
      this.#reads--;
    }
  }

  /** Legacy questions and logs name no call. They are attributable only if all calls have the same caller. */
  get #isAttributable(): boolean {
    return this.#reads === 0 && new Set(Array.from(this.#unfinished, ({ owner }) => owner)).size === 1;
  }

  #onlyCall(): HeldCall {
    const last = [...this.#active].at(-1);
    if (!last || !this.#isAttributable)
      throw new BiplaneError("NOT_SUPPORTED", `${this.name} asked a question that belongs to no single caller.`);
    return last;
  }

  /** Forwards a log message only if it cannot reach the wrong caller. */
  #forwardLog({ level, data, logger }: ServerLogMessage): void {
    if (this.#isAttributable) for (const { caller } of this.#active) caller?.log(level, data, logger);
  }

  async #relist(): Promise<void> {
    this.#isStale = true;
    this.#listing ??= (async () => {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#list().catch((error: unknown) =>
          this.#options.onWarning?.(`Listing ${this.name} failed: ${messageOf(error)}`),
        );
      }
      this.#listing = undefined;
      for (const change of ["tools", "resources", "prompts"] as const) this.catalog.notify(change);
    })();
    await this.#listing;
  }

  async #list(): Promise<void> {
    const { client } = this;
    const { tools, resources, templates, prompts, skills } = await takeInventory(client);
    const { callTimeoutMs: timeoutMs = 30_000, checkInput = true } = this.#options;
    const reading = { client, send: <T>(work: () => Promise<T>) => this.#read(work) };
    const listed = new Set(resources.map(({ uri }) => uri));
    const pages = tools.flatMap(({ name, _meta }) => {
      const { uri } = foreignUi(_meta) ?? {};
      return uri === undefined || listed.has(uri) ? [] : [{ uri, name, mimeType: appMimeType }];
    });
    this.#replace([
      ...tools
        .filter(({ name }) => this.#hasValidName(name))
        .map((info) =>
          remoteTool(info, { timeoutMs, checkInput, call: (input, caller) => this.#call(info.name, input, caller) }),
        ),
      // App pages can be read without being listed.
      ...[...resources, ...pages, ...templates].map((info) => remoteResource(info, reading)),
      ...prompts.map((info) => remotePrompt(info, reading)),
    ]);
    for (const info of skills) {
      const skill = remoteSkill(info, reading);
      if (skill && !this.catalog.skills.has(skill.uri)) this.catalog.addSkill(skill);
      else this.#warn(`The skill ${JSON.stringify(info.uri.slice(0, 200))} was skipped, because it is not valid.`);
    }
  }

  /** Replaces the catalog. Of duplicate names, the first is kept. */
  #replace(things: readonly CatalogItem[]): void {
    const { tools, resources, prompts, skills } = this.catalog;
    for (const list of [tools, resources, prompts, skills]) list.clear();
    for (const thing of things) if (!this.catalog.has(thing)) this.catalog.add(thing);
  }

  #hasValidName(name: string): boolean {
    if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return true;
    this.#warn(`The tool ${JSON.stringify(name.slice(0, 200))} was skipped, because its name is not valid.`);
    return false;
  }

  #warn(warning: string): void {
    this.#options.onWarning?.(`${this.name}: ${warning}`);
  }
}

/** Answers each question through the call that `findCall` returns. */
function answersFrom(findCall: () => HeldCall): Answers {
  return {
    form: async (question) => (await findCall().ask({ ...question, isForeign: true })) as never,
    link: async (question) => (await findCall().ask(question)) as never,
    sample: async (question) => (await findCall().ask(question)) as never,
    roots: async () => ((await findCall().ask({ kind: "roots" })) as { roots: [] }).roots,
  };
}

/** True for failures of the server rather than of the call. A server that answers is not failing. */
function isServerFault(error: unknown): boolean {
  const isLate = error instanceof BiplaneError && error.code === "TIMEOUT" && !rpcErrorOf(error);
  return isConnectionLost(error) || isLate;
}

/** True if the server rejected a call because it runs only as a task. */
function needsTask(error: unknown): boolean {
  const { code, data } = rpcErrorOf(error) ?? {};
  const required = code === rpcCode.missingCapability && isRecord(data) ? data["requiredCapabilities"] : undefined;
  return isRecord(required) && isRecord(required["extensions"]) && tasksExtension in required["extensions"];
}

function traceOf(caller: LiveCall | undefined): JsonObject | undefined {
  const trace = caller?.request.trace;
  return (
    trace && { traceparent: trace.traceparent, ...(trace.tracestate !== undefined && { tracestate: trace.tracestate }) }
  );
}
