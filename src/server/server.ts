import type { Approver } from "../call/approve.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Body } from "../call/body.ts";
import type { Hooks } from "../call/hooks.ts";
import { Limits } from "../call/limits.ts";
import type { LimitOptions } from "../call/limits.ts";
import { LiveCall } from "../call/live-call.ts";
import type { CallRequest } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import { perform } from "../call/perform.ts";
import type { Mode, Policy } from "../call/policy.ts";
import { createRedactor } from "../call/redact/redactor.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import type { SecretSource } from "../call/redaction.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { AgentContext, Principal } from "../tool/call.ts";
import { isReply } from "../tool/content.ts";
import { renamed } from "../tool/tool.ts";
import type { Icon, Tool } from "../tool/tool.ts";
import type { Listening, ServeOptions } from "./listening.ts";
import type { Prompt } from "./prompt.ts";
import { promptGetter, resourceReader } from "./readers.ts";
import type { FoundResource } from "./readers.ts";
import type { Resource } from "./resource.ts";

export interface ServerOptions {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** What the server is for; hosts may show it to their model. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly websiteUrl?: string;
  /** A list of named tools, or an object whose keys are the names. */
  readonly tools?: readonly Tool[] | Readonly<Record<string, Tool>>;
  readonly resources?: readonly Resource[];
  readonly prompts?: readonly Prompt[];
  readonly policies?: readonly Policy[];
  readonly hooks?: readonly Hooks[];
  readonly mode?: Mode;
  /** How often and how much at once. Left out: 10 calls a second for each caller on the network; false for no limits. */
  readonly limits?: LimitOptions | false;
  readonly approver?: Approver;
  /** Keeps a line of every call and every refusal. */
  readonly audit?: AuditSink;
  /** What must never leave: secrets by name, or a source of them that may change. */
  readonly secrets?: Readonly<Record<string, string>> | SecretSource;
  /** Where tasks live. Left out: SQLite in memory, opened when first needed. */
  readonly store?: Store;
  /** Told of faults that must not fail a call. Left out: a line on standard error. */
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** What changed in a server, for those who listen. */
export type Change = "tools" | "resources" | "prompts" | { readonly resource: string };

/** Tools, resources, prompts, policies and hooks under one name and version. Two servers share nothing. */
export function server(options: ServerOptions): Server {
  return new Server(options);
}

export class Server implements Body {
  readonly name: string;
  readonly version: string;
  readonly options: ServerOptions;
  readonly mode: Mode;
  readonly policies: Policy[];
  readonly hooks: Hooks[];
  readonly limits: Limits | undefined;
  readonly audit: AuditSink | undefined;
  readonly approver: Approver | undefined;
  readonly #secrets: SecretSource | undefined;
  readonly #tools = new Map<string, Tool>();
  readonly #resources = new Map<string, Resource>();
  readonly #prompts = new Map<string, Prompt>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #readers: ReadonlyMap<string, Tool>;
  readonly #open = new Set<Listening>();
  readonly #running = new Set<LiveCall>();
  readonly #whenIdle: (() => void)[] = [];
  #store: Promise<Store> | undefined;

  constructor(options: ServerOptions) {
    if (!options.name || !options.version)
      throw new BiplaneError("INVALID_DEFINITION", "a server needs a name and a version");
    this.name = options.name;
    this.version = options.version;
    this.options = options;
    this.mode = options.mode ?? "simulation";
    this.policies = [...(options.policies ?? [])];
    this.hooks = [...(options.hooks ?? [])];
    this.limits = options.limits === false ? undefined : new Limits(options.limits ?? {});
    this.approver = options.approver;
    this.audit = options.audit;
    this.#secrets = options.secrets && secretSource(options.secrets);
    const readers = [resourceReader((uri) => this.findResource(uri)), promptGetter((name) => this.#prompts.get(name))];
    this.#readers = new Map(readers.map((reader) => [reader.name, reader]));
    for (const tool of namedTools(options.tools ?? [])) this.#addTool(tool);
    for (const resource of options.resources ?? []) this.#addResource(resource);
    for (const prompt of options.prompts ?? []) this.#addPrompt(prompt);
  }

  get redactor(): Redactor | undefined {
    return this.#secrets?.redactor();
  }

  get tools(): Iterable<Tool> {
    return this.#tools.values();
  }
  get resources(): Iterable<Resource> {
    return this.#resources.values();
  }
  get prompts(): Iterable<Prompt> {
    return this.#prompts.values();
  }

  /** Adds a rule. All must allow. */
  policy(policy: Policy): this {
    this.policies.push(policy);
    return this;
  }

  /** Watches calls. */
  watch(hooks: Hooks): this {
    this.hooks.push(hooks);
    return this;
  }

  /** Adds a tool, resource or prompt while running; clients are told. */
  add(thing: Tool | Resource | Prompt): this {
    if ("run" in thing) this.#addTool(thing);
    else if ("read" in thing) this.#addResource(thing);
    else this.#addPrompt(thing);
    this.#tell("run" in thing ? "tools" : "read" in thing ? "resources" : "prompts");
    return this;
  }

  /** Removes a tool, resource or prompt that was added; false where it is not there. */
  remove(thing: Tool | Resource | Prompt): boolean {
    if ("run" in thing) return this.#tools.delete(thing.name) && this.#tell("tools");
    if ("read" in thing) return this.#resources.delete(resourceKey(thing)) && this.#tell("resources");
    return this.#prompts.delete(thing.name) && this.#tell("prompts");
  }

  /** Tells subscribers that what a resource holds has changed. */
  updated(uri: string): void {
    this.#tell({ resource: uri });
  }

  /** Tells `listener` of changes until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** The two ways of reading that take the path of a call; no name of a tool leads to them. */
  reader(name: string): Tool | undefined {
    return this.#readers.get(name);
  }

  findResource(uri: string): FoundResource | undefined {
    const exact = this.#resources.get(uri);
    if (exact?.uri !== undefined) return { resource: exact, parameters: {} };
    for (const resource of this.#resources.values()) {
      const parameters = resource.template?.match(uri);
      if (parameters) return { resource, parameters };
    }
    return undefined;
  }

  findPrompt(name: string): Prompt | undefined {
    return this.#prompts.get(name);
  }

  /** Takes a call down the path. Wires use this; programs use `call`. */
  perform(call: LiveCall): Outcome | Promise<Outcome> {
    const outcome = perform(call, this);
    if (!(outcome instanceof Promise)) return outcome;
    this.#running.add(call);
    return outcome.finally(() => {
      this.#running.delete(call);
      if (this.#running.size === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    });
  }

  /** Waits for running calls to end; those that take longer than `graceMs` are cancelled. */
  async drain(graceMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    const timer = setTimeout(() => {
      for (const call of this.#running) call.cancel("The server is closing");
    }, graceMs);
    await idle;
    clearTimeout(timer);
  }

  /** Calls a tool from this process, by the same path as everyone else. Throws where the call fails. */
  async call(tool: string, input: unknown = {}, options: DirectCallOptions = {}): Promise<unknown> {
    const { agent, principal = localUser, signal, ...rest } = options;
    const call = new LiveCall({ tool, input, route: "direct", principal, agent: { ...program(), ...agent }, ...rest });
    const cancel = () => call.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const outcome = await this.perform(call);
      if (outcome.status === "failed") throw outcome.error;
      if (outcome.status === "suspended") throw new BiplaneError("NOT_SUPPORTED", `${tool} waits for answers`);
      return isReply(outcome.value) ? (outcome.value.structured ?? outcome.value.content) : outcome.value;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /**
   * Listens: `"stdio"`, `"http://host:port"`, `"ws://host:port"`, or options; nothing means http://127.0.0.1:8000.
   * May be called several times.
   */
  async serve(target: string | ServeOptions = {}): Promise<Listening> {
    const { serve } = await import("../wire/serve.ts");
    return this.listenWith((options) => serve(this, options), target);
  }

  /** Keeps track of something that listens for this server, until it is closed. */
  async listenWith(
    listen: (options: ServeOptions) => Promise<Listening>,
    target: string | ServeOptions,
  ): Promise<Listening> {
    const listening = await listen(typeof target === "string" ? { url: target } : target);
    this.#open.add(listening);
    void listening.closed.then(() => this.#open.delete(listening));
    return listening;
  }

  /** Where durable things live. */
  store(): Promise<Store> {
    this.#store ??= this.options.store
      ? Promise.resolve(this.options.store)
      : import("../store/sqlite.ts").then(({ sqliteStore }) => sqliteStore(":memory:"));
    return this.#store;
  }

  /** Stops listening everywhere and lets running calls end. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((listening) => listening.close()));
    if (this.#store && !this.options.store) await (await this.#store).close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  report(fault: unknown, where: string): void {
    try {
      if (this.options.onFault) return this.options.onFault(fault, where);
    } catch (error) {
      process.stderr.write(`${this.name}: onFault failed: ${messageOf(error)}\n`);
    }
    process.stderr.write(`${this.name}: ${where} failed: ${messageOf(fault)}\n`);
  }

  #addTool(tool: Tool): void {
    if (!tool.name) throw new BiplaneError("INVALID_DEFINITION", "a tool in a list needs a name");
    if (this.#tools.has(tool.name)) throw duplicate("tool", tool.name);
    this.#tools.set(tool.name, tool);
  }

  #addResource(resource: Resource): void {
    const key = resourceKey(resource);
    if (this.#resources.has(key)) throw duplicate("resource", key);
    this.#resources.set(key, resource);
  }

  #addPrompt(prompt: Prompt): void {
    if (this.#prompts.has(prompt.name)) throw duplicate("prompt", prompt.name);
    this.#prompts.set(prompt.name, prompt);
  }

  #tell(change: Change): true {
    for (const listener of this.#listeners) listener(change);
    return true;
  }
}

export type DirectCallOptions = Partial<Pick<CallRequest, "principal" | "route" | "session" | "peer" | "scope">> & {
  readonly agent?: Partial<AgentContext>;
  readonly signal?: AbortSignal;
};

const localUser: Principal = Object.freeze({ kind: "local", id: "local", scopes: Object.freeze([]) });

function program(): AgentContext {
  return { agentId: "direct", model: undefined, requestId: crypto.randomUUID(), metadata: {} };
}

function secretSource(secrets: NonNullable<ServerOptions["secrets"]>): SecretSource {
  if (typeof secrets.redactor === "function") return secrets as SecretSource;
  const named = Object.entries(secrets as Record<string, string>).map(([name, value]) => ({ name, value }));
  const redactor = createRedactor(named);
  return { redactor: () => redactor };
}

function namedTools(tools: readonly Tool[] | Readonly<Record<string, Tool>>): readonly Tool[] {
  return Array.isArray(tools) ? tools : Object.entries(tools).map(([name, tool]) => renamed(tool, name));
}

function resourceKey(resource: Resource): string {
  return resource.uri ?? resource.template?.text ?? "";
}

function duplicate(kind: string, name: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `there are two ${kind}s called ${JSON.stringify(name)}`);
}
