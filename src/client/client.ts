import type { Era } from "../protocol/protocol.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import type { LogLevel } from "../tool/call.ts";
import type { Change } from "./change.ts";
import { Catalogue, withoutMisannotated } from "./catalogue.ts";
import type { Agreement, Connection, ConnectionOptions } from "./connection.ts";
import { intercepted } from "./intercept.ts";
import type { OutgoingCall } from "./intercept.ts";
import { Link } from "./link.ts";
import type { ConnectOptions, RequestOptions } from "./options.ts";
import { allPages } from "./pages.ts";
import { isRepeatableMethod, isRepeatableTool } from "./repeatable.ts";
import { listIn, toolInfo, toolResult } from "./results.ts";
import type { CompletionResult, PromptInfo, PromptResult, ReadResult } from "./results.ts";
import type { ResourceInfo, ResourceTemplateInfo, ToolInfo, ToolResult } from "./results.ts";
import { sendCall, sendOnce, waitForTask } from "./send-call.ts";
import type { SendParts } from "./send-call.ts";
import { Subscriptions } from "./subscriptions.ts";

export interface ClientOptions extends ConnectOptions {
  readonly open: (
    hooks: ConnectionHooks,
    more: { logLevel: LogLevel | undefined; signal: AbortSignal },
  ) => Promise<Connection>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onWarning: (warning: string) => void;
  readonly isHttp: boolean;
}

export type ConnectionHooks = Pick<ConnectionOptions, "onLost" | "onNotification">;

/** A connection to an MCP server that mends itself. Made by `connect`. */
export class Client implements AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #link: Link;
  readonly #subscriptions: Subscriptions;
  readonly #catalogue = new Catalogue();
  readonly #parts: SendParts;
  readonly #send: (call: OutgoingCall) => Promise<Params>;
  #agreement: Agreement | undefined;
  #logLevel: LogLevel | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#logLevel = options.logLevel;
    const { random = Math.random, reconnect = {}, sleep, onWarning } = options;
    this.#link = new Link({
      open: (signal) => this.#open(signal),
      reconnect,
      random,
      sleep,
      onReopened: (connection) => this.#inBackground(this.#subscriptions.restore(connection)),
      onDropped: () => this.#subscriptions.isWanted && this.#inBackground(this.#link.get()),
    });
    this.#subscriptions = new Subscriptions({ link: this.#link, onWarning, sleep });
    this.#parts = { link: this.#link, catalogue: this.#catalogue, options, listTools: () => this.#listDirectly() };
    this.#send = intercepted(options.intercept ?? [], (call) => sendCall(call, this.#parts));
  }

  get era(): Era {
    return this.#agreed.era;
  }
  get protocolVersion(): string {
    return this.#agreed.version;
  }
  /** What the server said of itself: name, version, and whatever else. */
  get serverInfo(): Params {
    return this.#agreed.serverInfo;
  }
  get capabilities(): Params {
    return this.#agreed.capabilities;
  }
  get instructions(): string | undefined {
    return this.#agreed.instructions;
  }

  /** Resolves when there is a connection. */
  async ready(): Promise<this> {
    await this.#link.get();
    return this;
  }

  /** Any request: through middleware, with questions answered, tasks waited for and losses mended. */
  request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Params> {
    const isRepeatable = () => this.#isRepeatable(method, params, options);
    return this.#send({ method, params, options, isRepeatable, server: this });
  }

  async notify(method: string, params: Params = {}): Promise<void> {
    await (await this.#link.get()).notify(method, params);
  }

  async listTools(options: RequestOptions = {}): Promise<ToolInfo[]> {
    return this.#remember(await allPages<ToolInfo>(this.#pager("tools/list", options), toolList));
  }

  /** Calls a tool. One that fails gives a result with `isError`; only what is wrong with the call itself is thrown. */
  async callTool(name: string, input: Params = {}, options: RequestOptions = {}): Promise<ToolResult> {
    return toolResult(await this.request("tools/call", { name, arguments: input }, options));
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

  async listPrompts(options: RequestOptions = {}): Promise<PromptInfo[]> {
    return allPages(this.#pager("prompts/list", options), { key: "prompts", texts: ["name"] });
  }

  async getPrompt(name: string, input: Params = {}, options: RequestOptions = {}): Promise<PromptResult> {
    const result = await this.request("prompts/get", { name, arguments: input }, options);
    return { ...result, messages: listIn(result, "messages", ["role"]) };
  }

  /** What could be typed into an argument of a prompt (`{ prompt: name }`) or a template (`{ template: uri }`). */
  async complete(
    of: { readonly prompt: string } | { readonly template: string },
    argument: { readonly name: string; readonly value: string },
    options: RequestOptions & { context?: Readonly<Record<string, string>> } = {},
  ): Promise<CompletionResult> {
    const ref = "prompt" in of ? { type: "ref/prompt", name: of.prompt } : { type: "ref/resource", uri: of.template };
    const { context, ...rest } = options;
    const params = { ref, argument, ...(context && { context: { arguments: context } }) };
    const { completion } = await this.request("completion/complete", params, rest);
    if (isObject(completion) && Array.isArray(completion["values"])) return completion as unknown as CompletionResult;
    throw new BiplaneError("EXECUTION_ERROR", "the server's result has no completion");
  }

  /** Tells `listener` when lists change, or a resource that was subscribed to. Resolves, once heard, to what stops it. */
  onChange(listener: (change: Change) => void): Promise<() => void> {
    return this.#subscriptions.onChange(listener);
  }

  /** From now on `onChange` hears when this resource is updated. */
  subscribe(uri: string): Promise<void> {
    return this.#subscriptions.subscribe(uri);
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#subscriptions.unsubscribe(uri);
  }

  /** Waits for a task of an earlier call; its id is what `onTask` was told. */
  async waitForTask(taskId: string, options: RequestOptions = {}): Promise<ToolResult> {
    const task = await this.request("tasks/get", { taskId }, options);
    return toolResult(await waitForTask(task, options, this.#parts));
  }

  async cancelTask(taskId: string, options: RequestOptions = {}): Promise<void> {
    await this.request("tasks/cancel", { taskId }, options);
  }

  /** Asks for log lines of this level and above. */
  async setLogLevel(level: LogLevel, options: RequestOptions = {}): Promise<void> {
    this.#logLevel = level;
    const connection = await this.#link.get();
    connection.logLevel = level;
    if (this.era === "legacy") await this.request("logging/setLevel", { level }, options);
  }

  /** Tells a server of the older era that the roots are others now; the newer one asks when it wants to know. */
  async rootsChanged(): Promise<void> {
    if (this.era === "legacy") await this.notify("notifications/roots/list_changed");
  }

  async ping(options: RequestOptions = {}): Promise<void> {
    await this.request(this.era === "legacy" ? "ping" : "server/discover", {}, options);
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
    await this.#link.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #agreed(): Agreement {
    if (!this.#agreement) throw new BiplaneError("INTERNAL", "the client is not connected yet");
    return this.#agreement;
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const hooks: ConnectionHooks = {
      onLost: (connection) => this.#link.drop(connection),
      onNotification: (method, params) => this.#hear(method, params),
    };
    const connection = await this.#options.open(hooks, { logLevel: this.#logLevel, signal });
    this.#agreement = connection.agreement;
    this.#catalogue.forget();
    return connection;
  }

  #hear(method: string, params: Params): void {
    if (method === "notifications/tools/list_changed") this.#catalogue.forget();
    this.#subscriptions.take(method, params);
    this.#options.onNotification?.(method, params);
  }

  #pager(method: string, options: RequestOptions): (params: Params) => Promise<Params> {
    return (params) => this.request(method, params, options);
  }

  #listDirectly(): Promise<ToolInfo[]> {
    const call = { method: "tools/list", options: {}, isRepeatable: async () => true };
    const list = allPages<ToolInfo>((params) => sendOnce({ ...call, params }, this.#parts), toolList);
    return list.then((tools) => this.#remember(tools));
  }

  #remember(tools: readonly ToolInfo[]): ToolInfo[] {
    const whole = tools.map(toolInfo);
    const isStrict = this.#options.isHttp && this.era === "modern";
    const usable = isStrict ? withoutMisannotated(whole, this.#options.onWarning) : whole;
    this.#catalogue.remember(usable);
    return usable;
  }

  async #isRepeatable(method: string, params: Params, { idempotent }: RequestOptions): Promise<boolean> {
    if (idempotent !== undefined) return idempotent;
    if (method !== "tools/call") return isRepeatableMethod(method);
    if (!this.#catalogue.find(params["name"])) await this.#listDirectly();
    return isRepeatableTool(this.#catalogue.find(params["name"]));
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#link.isClosed) this.#options.onWarning(`the connection is not mended: ${messageOf(error)}`);
    });
  }
}

const toolList = { key: "tools", texts: ["name"] };
