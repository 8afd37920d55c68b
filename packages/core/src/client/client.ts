import type { Era } from "../protocol/protocol.ts";
import type { Params } from "../protocol/rpc.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import type { LogLevel } from "../tool/log-level.ts";
import type { CatalogChange } from "../server/catalog.ts";
import { ListedTools, withoutMisannotated } from "./listed-tools.ts";
import type { Agreement, ClientConnection, ConnectionOptions } from "./client-connection.ts";
import { intercepted } from "./intercept.ts";
import type { OutgoingCall } from "./intercept.ts";
import { Reconnector } from "./reconnector.ts";
import type { ConnectOptions, RequestOptions } from "./options.ts";
import { isRepeatableMethod, isRepeatableTool } from "./repeatable.ts";
import { allPages, listIn, toolInfo, readToolResult } from "./results.ts";
import type {
  CompletionResult,
  PromptInfo,
  PromptResult,
  ReadResult,
  ResourceInfo,
  ResourceTemplateInfo,
  SkillInfo,
  ToolInfo,
  ToolResult,
} from "./results.ts";
import { sendCall, sendOnce, waitForTask } from "./send-call.ts";
import type { SendContext } from "./send-call.ts";
import { ResourceSubscriptions } from "./subscriptions.ts";
import { isRecord } from "../is-record.ts";

export interface ClientOptions extends ConnectOptions {
  readonly open: (
    hooks: ConnectionHooks,
    more: { logLevel: LogLevel | undefined; signal: AbortSignal },
  ) => Promise<ClientConnection>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onWarning: (warning: string) => void;
  readonly isHttp: boolean;
}

export type ConnectionHooks = Pick<ConnectionOptions, "onLost" | "onNotification">;

/** An MCP client that reconnects by itself. Create one with `connect`. */
export class Client implements AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #reconnector: Reconnector;
  readonly #subscriptions: ResourceSubscriptions;
  readonly #listedTools = new ListedTools();
  readonly #context: SendContext;
  readonly #send: (call: OutgoingCall) => Promise<Params>;
  #agreement: Agreement | undefined;
  #logLevel: LogLevel | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#logLevel = options.logLevel;
    const { random = Math.random, reconnect = {}, sleep, onWarning } = options;
    this.#reconnector = new Reconnector({
      open: (signal) => this.#open(signal),
      reconnect,
      random,
      sleep,
      onReopened: (connection) => this.#inBackground(this.#subscriptions.restore(connection)),
      onDropped: () => this.#subscriptions.isWanted && this.#inBackground(this.#reconnector.get()),
    });
    this.#subscriptions = new ResourceSubscriptions({ reconnector: this.#reconnector, onWarning, sleep });
    this.#context = {
      reconnector: this.#reconnector,
      listedTools: this.#listedTools,
      options,
      listTools: () => this.#listDirectly(),
    };
    this.#send = intercepted(options.intercept ?? [], (call) => sendCall(call, this.#context));
  }

  get era(): Era {
    return this.#agreed.era;
  }
  get protocolVersion(): string {
    return this.#agreed.version;
  }
  /** The server's `serverInfo`: name, version and anything else it sent. */
  get serverInfo(): Params {
    return this.#agreed.serverInfo;
  }
  get capabilities(): Params {
    return this.#agreed.capabilities;
  }
  get instructions(): string | undefined {
    return this.#agreed.instructions;
  }

  /** Resolves when the client is connected. */
  async ready(): Promise<this> {
    await this.#reconnector.get();
    return this;
  }

  /** Sends any request. Runs interceptors, answers questions, waits for tasks and reconnects. */
  request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Params> {
    const isRepeatable = () => this.#isRepeatable(method, params, options);
    return this.#send({ method, params, options, isRepeatable, server: this });
  }

  async notify(method: string, params: Params = {}): Promise<void> {
    await (await this.#reconnector.get()).notify(method, params);
  }

  async listTools(options: RequestOptions = {}): Promise<ToolInfo[]> {
    return this.#storeTools(await allPages<ToolInfo>(this.#pager("tools/list", options), toolList));
  }

  /** Calls a tool. A tool that fails returns a result with `isError`; only protocol and connection errors throw. */
  async callTool(name: string, input: Params = {}, options: RequestOptions = {}): Promise<ToolResult> {
    return readToolResult(await this.request("tools/call", { name, arguments: input }, options));
  }

  async listResources(options: RequestOptions = {}): Promise<ResourceInfo[]> {
    return allPages(this.#pager("resources/list", options), { key: "resources", texts: ["uri"] });
  }

  async listResourceTemplates(options: RequestOptions = {}): Promise<ResourceTemplateInfo[]> {
    const list = { key: "resourceTemplates", texts: ["uriTemplate"] };
    return allPages(this.#pager("resources/templates/list", options), list);
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResult> {
    const result = await this.request("resources/read", { uri }, options);
    return { ...result, contents: listIn(result, "contents", ["uri"]) };
  }

  /** The skills of a server that has any. `openSkills` of `biplane/skills` loads and verifies them. */
  async listSkills(options: RequestOptions = {}): Promise<SkillInfo[]> {
    return allPages(this.#pager("skills/list", options), { key: "skills", texts: ["uri"] });
  }

  async listPrompts(options: RequestOptions = {}): Promise<PromptInfo[]> {
    return allPages(this.#pager("prompts/list", options), { key: "prompts", texts: ["name"] });
  }

  async getPrompt(name: string, input: Params = {}, options: RequestOptions = {}): Promise<PromptResult> {
    const result = await this.request("prompts/get", { name, arguments: input }, options);
    return { ...result, messages: listIn(result, "messages", ["role"]) };
  }

  /** Completions for an argument of a prompt (`{ prompt: name }`) or a resource template (`{ template: uri }`). */
  async complete(
    of: { readonly prompt: string } | { readonly template: string },
    argument: { readonly name: string; readonly value: string },
    options: RequestOptions & { context?: Readonly<Record<string, string>> } = {},
  ): Promise<CompletionResult> {
    const ref = "prompt" in of ? { type: "ref/prompt", name: of.prompt } : { type: "ref/resource", uri: of.template };
    const { context, ...rest } = options;
    const params = { ref, argument, ...(context && { context: { arguments: context } }) };
    const { completion } = await this.request("completion/complete", params, rest);
    if (isRecord(completion) && Array.isArray(completion["values"])) return completion as unknown as CompletionResult;
    throw new BiplaneError("EXECUTION_ERROR", "The server's completion/complete result has no completion.values.");
  }

  /** Calls `listener` on list changes and on updates of subscribed resources. Resolves to a function that stops it. */
  onChange(listener: (change: CatalogChange) => void): Promise<() => void> {
    return this.#subscriptions.onChange(listener);
  }

  /** Reports updates of this resource to `onChange`. */
  subscribe(uri: string): Promise<void> {
    return this.#subscriptions.subscribe(uri);
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#subscriptions.unsubscribe(uri);
  }

  /** Waits for a task of an earlier call. `onTask` receives its id. */
  async waitForTask(taskId: string, options: RequestOptions = {}): Promise<ToolResult> {
    const task = await this.request("tasks/get", { taskId }, options);
    return readToolResult(await waitForTask(task, options, this.#context));
  }

  async cancelTask(taskId: string, options: RequestOptions = {}): Promise<void> {
    await this.request("tasks/cancel", { taskId }, options);
  }

  /** Requests log messages of this level and above. */
  async setLogLevel(level: LogLevel, options: RequestOptions = {}): Promise<void> {
    this.#logLevel = level;
    const connection = await this.#reconnector.get();
    connection.logLevel = level;
    if (this.era === "legacy") await this.request("logging/setLevel", { level }, options);
  }

  /** Notifies a legacy server that the roots changed. Modern servers ask for them when needed. */
  async rootsChanged(): Promise<void> {
    if (this.era === "legacy") await this.notify("notifications/roots/list_changed");
  }

  async ping(options: RequestOptions = {}): Promise<void> {
    await this.request(this.era === "legacy" ? "ping" : "server/discover", {}, options);
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
    await this.#reconnector.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #agreed(): Agreement {
    if (!this.#agreement) throw new BiplaneError("INTERNAL", "The client is not connected yet.");
    return this.#agreement;
  }

  async #open(signal: AbortSignal): Promise<ClientConnection> {
    const hooks: ConnectionHooks = {
      onLost: (connection) => this.#reconnector.drop(connection),
      onNotification: (method, params) => this.#handleNotification(method, params),
    };
    const connection = await this.#options.open(hooks, { logLevel: this.#logLevel, signal });
    this.#agreement = connection.agreement;
    this.#listedTools.clear();
    return connection;
  }

  #handleNotification(method: string, params: Params): void {
    if (method === "notifications/tools/list_changed") this.#listedTools.clear();
    this.#subscriptions.handleNotification(method, params);
    this.#options.onNotification?.(method, params);
  }

  #pager(method: string, options: RequestOptions): (params: Params) => Promise<Params> {
    return (params) => this.request(method, params, options);
  }

  #listDirectly(): Promise<ToolInfo[]> {
    const call = { method: "tools/list", options: {}, isRepeatable: async () => true };
    const list = allPages<ToolInfo>((params) => sendOnce({ ...call, params }, this.#context), toolList);
    return list.then((tools) => this.#storeTools(tools));
  }

  #storeTools(tools: readonly ToolInfo[]): ToolInfo[] {
    const complete = tools.map(toolInfo);
    const isStrict = this.#options.isHttp && this.era === "modern";
    const usable = isStrict ? withoutMisannotated(complete, this.#options.onWarning) : complete;
    this.#listedTools.set(usable);
    return usable;
  }

  async #isRepeatable(method: string, params: Params, { idempotent }: RequestOptions): Promise<boolean> {
    if (idempotent !== undefined) return idempotent;
    if (method !== "tools/call") return isRepeatableMethod(method);
    if (!this.#listedTools.find(params["name"])) await this.#listDirectly();
    return isRepeatableTool(this.#listedTools.find(params["name"]));
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#reconnector.isClosed) this.#options.onWarning(`Reconnecting failed: ${messageOf(error)}`);
    });
  }
}

const toolList = { key: "tools", texts: ["name"] };
