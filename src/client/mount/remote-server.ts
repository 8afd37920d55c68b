import type { LiveCall } from "../../call/live-call.ts";
import type { Policy } from "../../call/policy.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import { Catalog } from "../../server/catalog.ts";
import type { Thing } from "../../server/catalog.ts";
import { foreignFault } from "../../server/foreign.ts";
import type { Mountable } from "../../server/mount.ts";
import { appMimeType, foreignUi } from "../../tool/app.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { Answers } from "../answers.ts";
import type { Client } from "../client.ts";
import { connect } from "../connect.ts";
import { isLost } from "../lost.ts";
import type { ConnectOptions, LogLine, Target } from "../options.ts";
import { rpcErrorOf } from "../response.ts";
import type { ToolResult } from "../results.ts";
import { Breaker } from "./breaker.ts";
import type { BreakerOptions, Health } from "./breaker.ts";
import { HeldCall, HeldCalls } from "./held-call.ts";
import { remotePrompt, remoteResource } from "./remote-reads.ts";
import { remoteTool } from "./remote-tool.ts";

export interface RemoteOptions extends Omit<ConnectOptions, "answers" | "onLog"> {
  /** What it is called in errors. */
  readonly name?: string;
  /** How long a call may take: 30 seconds. */
  readonly callTimeoutMs?: number;
  /**
   * Whether arguments are held against a tool's schema here, before rules look at them: yes, unless the mounted server
   * is to see what it is sent exactly as it came.
   */
  readonly checkInput?: boolean;
  readonly breaker?: BreakerOptions;
}

/** Connects to a server elsewhere, so that it can be mounted. */
export async function remoteServer(target: Target, options: RemoteOptions = {}): Promise<RemoteServer> {
  const remote = new RemoteServer(options);
  await remote.open(target);
  return remote;
}

/** A server elsewhere, as something that can be mounted: calls go through a client that mends itself. */
export class RemoteServer implements Mountable, AsyncDisposable {
  readonly catalog = new Catalog();
  readonly redactor = undefined;
  readonly #options: RemoteOptions;
  readonly #breaker: Breaker;
  readonly #held = new HeldCalls();
  readonly #active = new Set<HeldCall>();
  /** These, and those whose callers are away to think. */
  readonly #underWay = new Set<HeldCall>();
  #reads = 0;
  #client: Client | undefined;
  #listing: Promise<void> | undefined;
  #isStale = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#breaker = new Breaker(this.name, options.breaker);
  }

  get name(): string {
    return this.#options.name ?? "the mounted server";
  }

  get health(): Health {
    return this.#breaker.health;
  }

  get client(): Client {
    if (!this.#client) throw new BiplaneError("INTERNAL", `${this.name} is not connected yet`);
    return this.#client;
  }

  /** It has no rules that we could know of; it applies its own. */
  onPolicy(_adopt: (policy: Policy) => void): () => void {
    return () => undefined;
  }

  async open(target: Target): Promise<void> {
    const onLog = (line: LogLine) => this.#passOn(line);
    const answers = answersBy((ask) => this.#asker(ask));
    // Which of our own clients can show apps is settled with each of them.
    this.#client = await connect(target, { apps: true, ...this.#options, answers, onLog });
    try {
      await this.#list();
      await this.#client.onChange((change) => {
        if (typeof change === "object") this.catalog.tell(change);
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

  /** Sees a call through: its questions to our caller, its progress and its task as well. */
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
    this.#underWay.add(held);
    void held.isDone.then(() => this.#underWay.delete(held));
    return held;
  }

  async #send(name: string, input: JsonObject, held: HeldCall): Promise<ToolResult> {
    await Promise.resolve(); // the call has its caller by then
    const send = () =>
      this.client.callTool(name, input, {
        signal: held.signal,
        timeoutMs: Infinity, // the tool's own deadline holds, and stands still while people think
        answers: answersBy(() => held),
        meta: traceOf(held.caller),
        onProgress: ({ progress, total, message }) =>
          held.caller?.progress(progress, { ...(total !== undefined && { total }), ...(message && { message }) }),
        // A task takes its time only where the caller can follow it; who waits for it waits no longer than for others.
        onTask: () => {
          if (!held.caller?.request.peer?.detach) return;
          held.caller.deadline?.stop();
          void held.caller.detach();
        },
      });
    return this.#guarded(send, () => held.isLate);
  }

  /** A protocol error of theirs goes out as they said it. */
  async #guarded<T>(work: () => Promise<T>, isLate = () => false): Promise<T> {
    try {
      return await this.#breaker.run(work, (error) => isSick(error) || isLate());
    } catch (error) {
      const fault = rpcErrorOf(error);
      if (!fault || !(error instanceof BiplaneError)) throw error;
      throw new BiplaneError(error.code, fault.message, { cause: error, details: { [foreignFault]: fault } });
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

  /** The older era asks and logs without saying for which call: it is clear only if all under way have one caller. */
  get #isClear(): boolean {
    return this.#reads === 0 && new Set(Array.from(this.#underWay, ({ owner }) => owner)).size === 1;
  }

  #asker(_question: unknown): HeldCall {
    const last = [...this.#active].at(-1);
    if (!last || !this.#isClear)
      throw new BiplaneError("NOT_SUPPORTED", `${this.name} asked something, and it is not clear whom`);
    return last;
  }

  /** What is said about one caller's call is not for another's eyes. */
  #passOn({ level, data, logger }: LogLine): void {
    if (this.#isClear) for (const { caller } of this.#active) caller?.log(level, data, logger);
  }

  async #relist(): Promise<void> {
    this.#isStale = true;
    this.#listing ??= (async () => {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#list().catch((error: unknown) =>
          this.#options.onWarning?.(`${this.name} cannot be listed: ${messageOf(error)}`),
        );
      }
      this.#listing = undefined;
      for (const change of ["tools", "resources", "prompts"] as const) this.catalog.tell(change);
    })();
    await this.#listing;
  }

  async #list(): Promise<void> {
    const { client } = this;
    const has = (name: string) => client.capabilities[name] !== undefined;
    const none = async () => [];
    const [tools, resources, templates, prompts] = await Promise.all([
      has("tools") ? client.listTools() : none(),
      has("resources") ? client.listResources() : none(),
      has("resources") ? client.listResourceTemplates().catch(none) : none(),
      has("prompts") ? client.listPrompts() : none(),
    ]);
    const { callTimeoutMs: timeoutMs = 30_000, checkInput = true } = this.#options;
    const reading = { client, send: <T>(work: () => Promise<T>) => this.#read(work) };
    const listed = new Set(resources.map(({ uri }) => uri));
    const pages = tools.flatMap(({ name, _meta }) => {
      const { uri } = foreignUi(_meta) ?? {};
      return uri === undefined || listed.has(uri) ? [] : [{ uri, name, mimeType: appMimeType }];
    });
    this.#replace([
      ...tools
        .filter(({ name }) => this.#mayBeCalled(name))
        .map((info) =>
          remoteTool(info, { timeoutMs, checkInput, call: (input, caller) => this.#call(info.name, input, caller) }),
        ),
      // Pages need not be listed to be read.
      ...[...resources, ...pages, ...templates].map((info) => remoteResource(info, reading)),
      ...prompts.map((info) => remotePrompt(info, reading)),
    ]);
  }

  /** Two of one name are one too many; the first stays. */
  #replace(things: readonly Thing[]): void {
    for (const list of [this.catalog.tools, this.catalog.resources, this.catalog.prompts]) list.clear();
    for (const thing of things) if (!this.catalog.has(thing)) this.catalog.add(thing);
  }

  #mayBeCalled(name: string): boolean {
    if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return true;
    this.#options.onWarning?.(`${this.name}: the tool ${JSON.stringify(name.slice(0, 200))} is left out for its name`);
    return false;
  }
}

/** Answers that come from whoever `whom` says is to be asked. */
function answersBy(whom: (question: unknown) => HeldCall): Answers {
  return {
    form: async (question) => (await whom(question).ask(question)) as never,
    link: async (question) => (await whom(question).ask(question)) as never,
    sample: async (question) => (await whom(question).ask(question)) as never,
    roots: async () => ((await whom("roots").ask({ kind: "roots" })) as { roots: [] }).roots,
  };
}

/** The server is unwell, rather than the call wrong. */
function isSick(error: unknown): boolean {
  return isLost(error) || (error instanceof BiplaneError && error.code === "TIMEOUT");
}

function traceOf(caller: LiveCall | undefined): JsonObject | undefined {
  const trace = caller?.request.trace;
  return (
    trace && { traceparent: trace.traceparent, ...(trace.tracestate !== undefined && { tracestate: trace.tracestate }) }
  );
}
