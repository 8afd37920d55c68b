import type { Approver } from "../call/approve.ts";
import type { AuditSink } from "../call/audit.ts";
import type { CallHost } from "../call/call-host.ts";
import type { Hooks } from "../call/hooks.ts";
import { KeptAnswers } from "../call/kept-answers.ts";
import { Limits } from "../call/limits.ts";
import type { LiveCall } from "../call/live-call.ts";
import { runInsideMeters } from "../call/meter.ts";
import type { Meter } from "../call/meter.ts";
import type { Outcome } from "../call/outcome.ts";
import { perform } from "../call/perform.ts";
import type { Mode, Policy } from "../call/policy.ts";
import { CombinedRedactor } from "../call/redact/combined.ts";
import type { RedactorSource } from "../call/redact/combined.ts";
import { createRedactor } from "../call/redact/redactor.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import type { SecretSource } from "../call/redaction.ts";
import type { Scope } from "../call/scope.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import { memoryStore } from "../store/memory-store.ts";
import type { EpisodeStorage } from "../store/episode-storage.ts";
import type { Store } from "../store/store.ts";
import { checkOptions, pickOptions } from "../tool/check-options.ts";
import { oneLine } from "../tool/one-line.ts";
import { renamed } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { RemoteOptions } from "../client/mount/remote-server.ts";
import { Catalog, catalogKind } from "./catalog.ts";
import type { CatalogChange, CatalogItem } from "./catalog.ts";
import { callDirectly } from "./direct-call.ts";
import type { DirectCallOptions } from "./direct-call.ts";
import { Disclosure } from "./disclosure.ts";
import { FleetMember } from "./fleet-member.ts";
import type { Fleet } from "./fleet.ts";
import type { Listening, ServeOptions } from "./listening.ts";
import { Mount } from "./mount.ts";
import type { MountOptions, Mountable } from "./mount.ts";
import { checkMountTarget, isMountable, isRemoteTarget } from "./mount-target.ts";
import type { RemoteTarget } from "./mount-target.ts";
import { Mounts } from "./mounts.ts";
import { defaultVersion, serverOptionNames } from "./options.ts";
import type { Governance, ServerOptions } from "./options.ts";
import type { Pack } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import { argumentCompleter, promptGetter, resourceReader } from "./readers.ts";
import type { FoundResource } from "./readers.ts";
import type { Resource } from "./resource.ts";
import { checkServerName } from "./server-name.ts";
import type { Server } from "./server.ts";
import { RunningCalls } from "./running-calls.ts";
import type { Skill } from "./skill.ts";

/** The implementation of `Server`, with the parts that protocols, the call pipeline and other packages need. */
export class ServerCore implements CallHost, Server {
  readonly name: string;
  readonly version: string;
  readonly options: ServerOptions;
  readonly policies: Policy[] = [];
  readonly hooks: Hooks[] = [];
  readonly meters: Meter[] = [];
  readonly catalog = new Catalog();
  mode: Mode = "simulation";
  limits: Limits | undefined;
  audit: AuditSink | undefined;
  approver: Approver | undefined;
  /** True if a tool keeps something in this process for each session, as code does. */
  keepsSessionState = false;
  readonly answers: KeptAnswers;
  /** Its own secrets and those of everything mounted in it. */
  readonly #secrets: RedactorSource[] = [];
  readonly #readers: ReadonlyMap<string, Tool>;
  #disclosure: Disclosure | undefined;
  readonly #mounts = new Mounts();
  readonly #member = new FleetMember();
  readonly #adopters = new Set<(policy: Policy) => void>();
  readonly #redactors = new CombinedRedactor();
  readonly #closeAlso: (() => Promise<void>)[] = [];
  readonly #open = new Set<Listening>();
  readonly #running = new RunningCalls();
  #store: Promise<Store> | undefined;
  #givenStore: Store | undefined;
  #onFault: ServerOptions["onFault"];

  constructor(options: ServerOptions) {
    checkOptions(`Server ${JSON.stringify(options.name)}`, options, serverOptionNames);
    checkServerName(options.name);
    this.name = options.name;
    this.version = options.version ?? defaultVersion;
    this.options = options;
    this.answers = new KeptAnswers(this);
    this.govern(options);
    const readers = [
      resourceReader((uri) => this.findResource(uri)),
      promptGetter((name) => this.findPrompt(name)),
      argumentCompleter((target, argument) => this.catalog.findCompleter(target, argument)),
    ];
    this.#readers = new Map(readers.map((reader) => [reader.name, reader]));
    const { tools = [], resources = [], prompts = [], skills = [], packs = [] } = options;
    for (const item of [...namedTools(tools), ...resources, ...prompts]) this.catalog.add(item);
    for (const each of skills) this.catalog.addSkill(each);
    for (const each of this.tools) this.#mustHavePage(each);
    for (const pack of packs) this.mount(pack.name, pack);
  }

  /** Redacts its own secrets and those of everything mounted in it. */
  get redactor(): Redactor | undefined {
    return this.#secrets.length < 2 ? this.#secrets[0]?.() : this.#redactors.ofSources(this.#secrets);
  }

  govern(rules: Governance): this {
    const { policies = [], hooks = [], meters = [], secrets, limits } = rules;
    for (const policy of policies) this.policy(policy);
    this.hooks.push(...hooks);
    this.meters.push(...meters);
    if (secrets) this.#secrets.push(redactorSource(secrets));
    const report = (fault: unknown) => this.report(fault, this.name);
    if (rules.fleet) this.#member.join(rules.fleet, { name: this.name, catalog: this.catalog, report });
    if (limits !== undefined) this.limits = limits ? new Limits(limits, () => this.#member.takeToken) : undefined;
    if (rules.disclose) this.#disclosure = new Disclosure(this.catalog, rules.disclose);
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
  /** The tools that `tools/list` returns. */
  get listed(): Iterable<Tool> {
    return this.#disclosure?.listed() ?? this.tools;
  }
  get resources(): Iterable<Resource> {
    return this.catalog.resources.values();
  }
  get prompts(): Iterable<Prompt> {
    return this.catalog.prompts.values();
  }
  get skills(): Iterable<Skill> {
    return this.catalog.skills.values();
  }

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

  mount(name: string, target: Mountable | Pack, options?: MountOptions): this;
  mount(name: string, target: RemoteTarget, options?: MountOptions & RemoteOptions): Promise<this>;
  mount(name: string, target: Mountable | Pack | RemoteTarget, options: MountOptions = {}): this | Promise<this> {
    checkMountTarget(name, target);
    if (isRemoteTarget(target)) return this.#connect(name, target, options);
    const child = isMountable(target) ? target : this.#unpack(target);
    if (child === this) throw new BiplaneError("INVALID_DEFINITION", "A server cannot be mounted in itself.");
    const onConflict = (error: BiplaneError) => this.report(error, `the mount ${name}`);
    const mount = new Mount(this.catalog, { name, child }, { onConflict, ...options });
    this.#mounts.add(mount);
    this.#secrets.push(() => child.redactor);
    child.onPolicy((policy) => this.policy(mount.wrapPolicy(policy)));
    return this;
  }

  async #connect(name: string, target: RemoteTarget, options: MountOptions & RemoteOptions): Promise<this> {
    const { remoteServer } = await import("../client/mount/remote-server.ts");
    const onWarning = (warning: string) => this.report(warning, `the mount ${name}`);
    const remote = await remoteServer(target, { name, onWarning, ...options });
    this.whenClosed(() => remote.close());
    return this.mount(name, remote, options);
  }

  /** A pack becomes a server that closes with this one. */
  #unpack(pack: Pack): ServerCore {
    if (pack.close) this.whenClosed(() => (pack.close as () => Promise<void>)());
    return new ServerCore({ ...pickOptions<ServerOptions>(pack, serverOptionNames), version: this.version });
  }

  watch(hooks: Hooks): this {
    this.hooks.push(hooks);
    return this;
  }

  measure(meter: Meter): this {
    this.meters.push(meter);
    return this;
  }

  add(item: CatalogItem | Skill): this {
    if ("run" in item) this.#mustHavePage(item);
    if ("frontmatter" in item) this.catalog.addSkill(item);
    else this.catalog.add(item);
    this.catalog.notify(changeOf(item));
    return this;
  }

  #mustHavePage({ name, ui }: Tool): void {
    if (ui?.uri === undefined || ui.app || this.findResource(ui.uri)) return;
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `Tool ${JSON.stringify(name)}: its app page ${ui.uri} is not a resource of this server.`,
    );
  }

  remove(item: CatalogItem | Skill): boolean {
    if (typeof item !== "object")
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `remove() takes the tool, resource or prompt itself, not ${JSON.stringify(item)}. Keep the value that you added.`,
      );
    const isRemoved = "frontmatter" in item ? this.catalog.removeSkill(item) : this.catalog.remove(item);
    if (isRemoved) this.catalog.notify(changeOf(item));
    return isRemoved;
  }

  updated(uri: string): void {
    this.catalog.notify({ resource: uri });
  }

  onChange(listener: (change: CatalogChange) => void): () => void {
    return this.catalog.onChange(listener);
  }

  /** Calls the listener after each change in another process of the fleet. */
  onChangeElsewhere(listener: (change: CatalogChange) => void): () => void {
    return this.#member.onChangeElsewhere(listener);
  }

  find(name: string): Tool | undefined {
    return this.catalog.tools.get(name) ?? this.#disclosure?.find(name);
  }

  /** A built-in reader. Callers cannot reach it as a tool. */
  reader(name: string): Tool | undefined {
    return this.#readers.get(name);
  }

  findResource(uri: string): FoundResource | undefined {
    return this.catalog.findResource(uri);
  }

  get hasEpisodes(): boolean {
    return this.#mounts.haveEpisodes;
  }

  episodeFor(tool: Tool, call: LiveCall): Scope | Promise<Scope> | undefined {
    return this.#mounts.episodeFor(tool, call);
  }

  findPrompt(name: string): Prompt | undefined {
    return this.catalog.prompts.get(name);
  }

  /** The mount path of an item from a remote server, such as `a/b`; undefined for items of this process. */
  mountPathOf(item: CatalogItem): string | undefined {
    return this.#mounts.pathOf(item);
  }

  /** Runs a call through the pipeline. For wire protocols; programs use `call`. */
  perform(call: LiveCall): Outcome | Promise<Outcome> {
    this.#disclosure?.redirect(call);
    const outcome =
      this.meters.length > 0 ? runInsideMeters(call, this, () => perform(call, this)) : perform(call, this);
    return outcome instanceof Promise ? this.#running.track(call, outcome) : outcome;
  }

  /** Waits for running calls. Cancels those that take longer than `graceMs` or wait for a person. */
  drain(graceMs: number): Promise<void> {
    return this.#running.drain(graceMs);
  }

  call(tool: string, input: unknown = {}, options: DirectCallOptions = {}): Promise<unknown> {
    return callDirectly(this, { tool, input }, options);
  }

  async serve(target: string | ServeOptions = {}): Promise<Listening> {
    const { serve } = await import("../wire/serve.ts");
    return this.listenWith((options) => serve(this, options), target);
  }

  /** Tracks a listener of this server, so that `close` closes it. */
  async listenWith(
    listen: (options: ServeOptions) => Promise<Listening>,
    target: string | ServeOptions,
  ): Promise<Listening> {
    const listening = await listen(typeof target === "string" ? { url: target } : target);
    this.#open.add(listening);
    void listening.closed.then(() => this.#open.delete(listening));
    return listening;
  }

  /** The given store, or one in memory. */
  store(): Promise<Store> {
    this.#store ??= this.#givenStore ? Promise.resolve(this.#givenStore) : Promise.resolve(memoryStore());
    return this.#store;
  }

  /** Whether a store was given. */
  get hasStore(): boolean {
    return this.#givenStore !== undefined;
  }

  /** Set if other processes serve the same from the same store. */
  get fleet(): Fleet | undefined {
    return this.#member.fleet;
  }

  /** Tells this process from others that have the same store, and from those that ran before. */
  get process(): string {
    return this.#member.processId;
  }

  isRunning(process: string): Promise<boolean> {
    return this.#member.isRunning(process);
  }

  /** Knows which process of a fleet serves which sessions, if a tool keeps something for them. */
  get sessionOwnership(): { readonly fleet: Fleet; readonly storage: EpisodeStorage } | undefined {
    const storage = this.#givenStore?.episodes;
    return this.keepsSessionState && this.fleet && storage ? { fleet: this.fleet, storage } : undefined;
  }

  /** Whether processes on other machines have the same store. */
  get hasSharedStore(): boolean {
    return this.#givenStore?.isShared ?? false;
  }

  /** Registers something to close with the server. */
  whenClosed(close: () => Promise<void>): void {
    this.#closeAlso.push(close);
  }

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
      this.#writeError(`onFault failed: ${messageOf(error)}`);
    }
    this.#writeError(`${where} failed: ${messageOf(fault)}`);
  }

  /** A fault may quote caller input, which must not forge lines, control the terminal or reveal a secret. */
  #writeError(message: string): void {
    const clean = oneLine(message);
    process.stderr.write(`${this.name}: ${this.redactor?.text(clean) ?? clean}\n`);
  }
}

/** The files of a skill are resources. */
function changeOf(item: CatalogItem | Skill): CatalogChange {
  return "frontmatter" in item ? "resources" : catalogKind(item);
}

function redactorSource(secrets: NonNullable<ServerOptions["secrets"]>): RedactorSource {
  if (typeof secrets.redactor === "function") return () => (secrets as SecretSource).redactor();
  const named = Object.entries(secrets as Record<string, string>).map(([name, value]) => ({ name, value }));
  const redactor = createRedactor(named);
  return () => redactor;
}

function namedTools(tools: readonly Tool[] | Readonly<Record<string, Tool>>): readonly Tool[] {
  return Array.isArray(tools) ? tools : Object.entries(tools).map(([name, tool]) => renamed(tool, name));
}
