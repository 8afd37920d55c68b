import type { Approver } from "../call/approve.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Body } from "../call/body.ts";
import type { Hooks } from "../call/hooks.ts";
import { Limits } from "../call/limits.ts";
import { LiveCall } from "../call/live-call.ts";
import type { CallRequest } from "../call/live-call.ts";
import { surround } from "../call/meter.ts";
import type { Meter } from "../call/meter.ts";
import type { Outcome } from "../call/outcome.ts";
import { perform } from "../call/perform.ts";
import type { Mode, Policy } from "../call/policy.ts";
import { CombinedRedactor } from "../call/redact/combined.ts";
import { createRedactor } from "../call/redact/redactor.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import type { SecretSource } from "../call/redaction.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { AgentContext, Principal } from "../tool/call.ts";
import { isReply } from "../tool/content.ts";
import { renamed } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { ProcessTarget } from "../client/options.ts";
import type { RemoteOptions } from "../client/mount/remote-server.ts";
import { Catalog, kindOf } from "./catalog.ts";
import type { Change, Thing } from "./catalog.ts";
import { Disclosure } from "./disclosure.ts";
import type { Listening, ServeOptions } from "./listening.ts";
import { Mount } from "./mount.ts";
import type { MountOptions, Mountable } from "./mount.ts";
import type { Governance, ServerOptions } from "./options.ts";
import type { Pack } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import { argumentCompleter, promptGetter, resourceReader } from "./readers.ts";
import type { FoundResource } from "./readers.ts";
import type { Resource } from "./resource.ts";

/** Tools, resources, prompts, policies and hooks under one name and version. Two servers share nothing. */
export function server(options: ServerOptions): Server {
  return new Server(options);
}

export class Server implements Body, Mountable {
  readonly name: string;
  readonly version: string;
  readonly options: ServerOptions;
  readonly policies: Policy[] = [];
  readonly hooks: Hooks[] = [];
  readonly meters: Meter[] = [];
  readonly catalog = new Catalog();
  mode: Mode = "simulation";
  limits: Limits | undefined = new Limits({});
  audit: AuditSink | undefined;
  approver: Approver | undefined;
  readonly #secrets: SecretSource[] = [];
  readonly #readers: ReadonlyMap<string, Tool>;
  readonly #disclosure: Disclosure | undefined;
  readonly #mounts: Mount[] = [];
  readonly #adopters = new Set<(policy: Policy) => void>();
  readonly #redactors = new CombinedRedactor();
  readonly #closeAlso: (() => Promise<void>)[] = [];
  readonly #open = new Set<Listening>();
  readonly #running = new Set<LiveCall>();
  readonly #whenIdle: (() => void)[] = [];
  #store: Promise<Store> | undefined;
  #givenStore: Store | undefined;
  #onFault: ServerOptions["onFault"];

  constructor(options: ServerOptions) {
    if (!options.name || !options.version)
      throw new BiplaneError("INVALID_DEFINITION", "a server needs a name and a version");
    this.name = options.name;
    this.version = options.version;
    this.options = options;
    this.govern(options);
    const readers = [
      resourceReader((uri) => this.findResource(uri)),
      promptGetter((name) => this.findPrompt(name)),
      argumentCompleter((target, argument) => this.catalog.findCompleter(target, argument)),
    ];
    this.#readers = new Map(readers.map((reader) => [reader.name, reader]));
    const { tools = [], resources = [], prompts = [], packs = [] } = options;
    for (const thing of [...namedTools(tools), ...resources, ...prompts]) this.catalog.add(thing);
    for (const each of this.tools) this.#mustHavePage(each);
    for (const pack of packs) this.mount(pack.name, pack);
    this.#disclosure = options.disclose && new Disclosure(this.catalog, options.disclose);
  }

  /** Takes out its own secrets and those of everything mounted in it. */
  get redactor(): Redactor | undefined {
    if (this.#mounts.length === 0 && this.#secrets.length < 2) return this.#secrets[0]?.redactor();
    const own = this.#secrets.map((source) => source.redactor());
    return this.#redactors.of([...own, ...this.#mounts.map(({ child }) => child.redactor)]);
  }

  /**
   * Lays rules over a server that somebody else may have written: policies, hooks, meters and secrets come on top of its
   * own, the rest takes the place of its own.
   */
  govern(rules: Governance): this {
    const { policies = [], hooks = [], meters = [], secrets, limits } = rules;
    for (const policy of policies) this.policy(policy);
    this.hooks.push(...hooks);
    this.meters.push(...meters);
    if (secrets) this.#secrets.push(secretSource(secrets));
    if (limits !== undefined) this.limits = limits ? new Limits(limits) : undefined;
    this.mode = rules.mode ?? this.mode;
    this.approver = rules.approver ?? this.approver;
    this.audit = rules.audit ?? this.audit;
    this.#givenStore = rules.store ?? this.#givenStore;
    this.#onFault = rules.onFault ?? this.#onFault;
    return this;
  }

  get tools(): Iterable<Tool> {
    return this.catalog.tools.values();
  }
  /** The tools that clients are shown. */
  get listed(): Iterable<Tool> {
    return this.#disclosure?.listed() ?? this.tools;
  }
  get resources(): Iterable<Resource> {
    return this.catalog.resources.values();
  }
  get prompts(): Iterable<Prompt> {
    return this.catalog.prompts.values();
  }

  /** Adds a rule. All must allow. */
  policy(policy: Policy): this {
    this.policies.push(policy);
    for (const adopt of this.#adopters) adopt(policy);
    return this;
  }

  onPolicy(adopt: (policy: Policy) => void): () => void {
    for (const policy of this.policies) adopt(policy);
    this.#adopters.add(adopt);
    return () => this.#adopters.delete(adopt);
  }

  /**
   * Offers what another server has as this one's own: one in this process is called directly, one elsewhere (a URL, a
   * command) through a client, once the promise resolves. The rules and secrets of both hold; limits, approval, audit
   * and hooks are those of the server that is called.
   */
  mount(name: string, target: Mountable | Pack, options?: MountOptions): this;
  mount(name: string, target: RemoteTarget, options?: MountOptions & RemoteOptions): Promise<this>;
  mount(name: string, target: Mountable | Pack | RemoteTarget, options: MountOptions = {}): this | Promise<this> {
    if (typeof target === "string" || target instanceof URL || "command" in target)
      return this.#connect(name, target, options);
    const child = "catalog" in target ? target : this.#unpack(target);
    if (child === this) throw new BiplaneError("INVALID_DEFINITION", "a server cannot be mounted in itself");
    const onConflict = (error: BiplaneError) => this.report(error, `the mount ${name}`);
    const mount = new Mount(this.catalog, name, child, { onConflict, ...options });
    this.#mounts.push(mount);
    child.onPolicy((policy) => this.policy(mount.guard(policy)));
    return this;
  }

  async #connect(name: string, target: RemoteTarget, options: MountOptions & RemoteOptions): Promise<this> {
    const { remoteServer } = await import("../client/mount/remote-server.ts");
    const onWarning = (warning: string) => this.report(warning, `the mount ${name}`);
    const remote = await remoteServer(target, { name, onWarning, ...options });
    this.whenClosed(() => remote.close());
    return this.mount(name, remote, options);
  }

  /** A pack is a small server of its own, which ends with the one it is mounted in. */
  #unpack(pack: Pack): Server {
    if (pack.close) this.whenClosed(() => (pack.close as () => Promise<void>)());
    return new Server({ ...pack, version: this.version });
  }

  /** Watches calls. */
  watch(hooks: Hooks): this {
    this.hooks.push(hooks);
    return this;
  }

  /** Counts or times calls, at less cost than a hook. */
  measure(meter: Meter): this {
    this.meters.push(meter);
    return this;
  }

  /** Adds a tool, resource or prompt while running; clients are told. */
  add(thing: Thing): this {
    if ("run" in thing) this.#mustHavePage(thing);
    this.catalog.add(thing);
    this.catalog.tell(kindOf(thing));
    return this;
  }

  #mustHavePage({ name, ui }: Tool): void {
    if (ui?.uri === undefined || ui.app || this.findResource(ui.uri)) return;
    throw new BiplaneError("INVALID_DEFINITION", `tool ${JSON.stringify(name)}: there is no resource ${ui.uri}`);
  }

  /** Removes a tool, resource or prompt that was added; false where it is not there. */
  remove(thing: Thing): boolean {
    const isRemoved = this.catalog.remove(thing);
    if (isRemoved) this.catalog.tell(kindOf(thing));
    return isRemoved;
  }

  /** Tells subscribers that what a resource holds has changed. */
  updated(uri: string): void {
    this.catalog.tell({ resource: uri });
  }

  /** Tells `listener` of changes until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void {
    return this.catalog.onChange(listener);
  }

  find(name: string): Tool | undefined {
    return this.catalog.tools.get(name) ?? this.#disclosure?.find(name);
  }

  /** The two ways of reading that take the path of a call; no name of a tool leads to them. */
  reader(name: string): Tool | undefined {
    return this.#readers.get(name);
  }

  findResource(uri: string): FoundResource | undefined {
    return this.catalog.findResource(uri);
  }

  findPrompt(name: string): Prompt | undefined {
    return this.catalog.prompts.get(name);
  }

  /** Where a thing of a server elsewhere is mounted, by names with a slash between them; undefined for what is our own. */
  homeOf(thing: Thing): string | undefined {
    for (const mount of this.#mounts) {
      const their = mount.homeOf(thing);
      if (!their) continue;
      if (!(mount.child instanceof Server)) return mount.name;
      const within = mount.child.homeOf(their);
      return within === undefined ? undefined : `${mount.name}/${within}`;
    }
    return undefined;
  }

  /** Takes a call down the path. Wires use this; programs use `call`. */
  perform(call: LiveCall): Outcome | Promise<Outcome> {
    this.#disclosure?.follow(call);
    const outcome = this.meters.length > 0 ? surround(call, this, () => perform(call, this)) : perform(call, this);
    if (!(outcome instanceof Promise)) return outcome;
    this.#running.add(call);
    return outcome.finally(() => {
      this.#running.delete(call);
      if (this.#running.size === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    });
  }

  /** Waits for running calls to end. Those that take longer than `graceMs`, or wait for a person, are cancelled. */
  async drain(graceMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    for (const call of this.#running) if (call.isStandingStill) call.cancel("The server is closing");
    const timer = setTimeout(() => {
      for (const call of this.#running) call.cancel("The server is closing");
    }, graceMs);
    await idle;
    clearTimeout(timer);
  }

  /** Calls a tool from this process, by the same path as everyone else. Throws where the call fails. */
  async call(tool: string, input: unknown = {}, options: DirectCallOptions = {}): Promise<unknown> {
    const { agent, principal = localUser, signal, ...rest } = options;
    const caller = { route: "direct", principal, agent: { ...program(), ...agent }, patienceMs: Infinity } as const;
    const call = new LiveCall({ tool, input, ...caller, ...rest });
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
    this.#store ??= this.#givenStore
      ? Promise.resolve(this.#givenStore)
      : import("../store/sqlite.ts").then(({ sqliteStore }) => sqliteStore(":memory:"));
    return this.#store;
  }

  /** Whether somebody gave it a place for durable things; without one they live in memory. */
  get hasStore(): boolean {
    return this.#givenStore !== undefined;
  }

  /** Something that ends with the server. */
  whenClosed(close: () => Promise<void>): void {
    this.#closeAlso.push(close);
  }

  /** Stops listening everywhere and lets running calls end. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((listening) => listening.close()));
    await Promise.all(this.#closeAlso.splice(0).map((close) => close()));
    if (this.#store && !this.#givenStore) await (await this.#store).close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  report(fault: unknown, where: string): void {
    try {
      if (this.#onFault) return this.#onFault(fault, where);
    } catch (error) {
      this.#complain(`onFault failed: ${messageOf(error)}`);
    }
    this.#complain(`${where} failed: ${messageOf(fault)}`);
  }

  /** A fault may quote what a caller sent: it must not forge lines, move the cursor or tell a secret. */
  #complain(what: string): void {
    const clean = what.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
    process.stderr.write(`${this.name}: ${this.redactor?.text(clean) ?? clean}\n`);
  }
}

/** A server elsewhere: its address, or the command that starts it. */
export type RemoteTarget = string | URL | ProcessTarget;

export type DirectCallOptions = Partial<
  Pick<CallRequest, "principal" | "route" | "session" | "peer" | "scope" | "trace" | "patienceMs">
> & {
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
