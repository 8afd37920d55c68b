import { BiplaneError, messageOf } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { Implementation } from "../bridge/capabilities.ts";
import type { AppToolResult } from "../bridge/content.ts";
import type { HostContext } from "../bridge/context.ts";
import type { InitializeParams, InitializeResult } from "../bridge/messages.ts";
import { methods, protocolVersion } from "../bridge/methods.ts";
import { isViewNotification, readViewNotification, readViewRequest } from "../bridge/read-view.ts";
import type { AppLimits } from "./limits.ts";
import { MessageLog } from "./message-log.ts";
import type { LogEntry } from "./message-log.ts";
import { SandboxFrame } from "./sandbox-frame.ts";
import type { SandboxGrant, SandboxFrameOptions } from "./sandbox-frame.ts";
import { HostContextTracker } from "./host-context-tracker.ts";
import type { HostContextOptions } from "./host-context-tracker.ts";
import { ViewChannel } from "./view-channel.ts";
import { ViewRequestDispatcher, offeredCapabilities } from "./view-requests.ts";
import type { ViewRequestHandlers } from "./view-requests.ts";

export interface AppEvents extends ViewRequestHandlers, Pick<HostContextOptions, "onSize" | "onDisplayMode"> {
  /** Called for every message in both directions, and for every remark of the host. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** Called when the app is ready and has received all queued messages. */
  readonly onReady?: (() => void) | undefined;
  /** Called when the app asks to be closed. Call `teardown` to do so. */
  readonly onTeardown?: (() => void) | undefined;
  /** Called when the app was removed because it exceeded a limit or navigated away. */
  readonly onStopped?: ((reason: string) => void) | undefined;
}

export interface AppFrameOptions extends AppEvents {
  readonly sandbox: Omit<SandboxFrameOptions, "onGranted" | "onMessage" | "onLeft">;
  readonly hostInfo: Implementation;
  readonly context: HostContext;
  readonly limits: AppLimits;
  readonly now: () => number;
}

/** A running app. Created by `openApp`. Messages sent before the app is ready are queued. */
export class AppFrame implements AsyncDisposable {
  readonly #options: AppFrameOptions;
  readonly #log: MessageLog;
  readonly #frame: SandboxFrame;
  readonly #channel: ViewChannel;
  readonly #requests: ViewRequestDispatcher;
  readonly #contextTracker: HostContextTracker;
  readonly #queued: (() => void)[] = [];
  #stage: "loading" | "initialized" | "ready" | "closed" = "loading";
  /** The messages about the tool call have a fixed order: partial inputs, the input, then result or cancellation. */
  #call: "pending" | "running" | "ended" = "pending";
  #granted: SandboxGrant = { csp: {}, permissions: {} };
  #app: InitializeParams | undefined;
  #teardown: Promise<void> | undefined;

  constructor(options: AppFrameOptions) {
    this.#options = options;
    this.#log = new MessageLog({ now: options.now, onEntry: options.onLog });
    this.#requests = new ViewRequestDispatcher(options);
    this.#channel = new ViewChannel({
      ...options,
      log: this.#log,
      post: (message) => this.#frame.post(message),
      isEarly: (method) => this.#stage === "loading" && method !== methods.initialize,
      onRequest: (method, params, signal) => this.#answer(method, params, signal),
      onNotification: (method, params) => this.#receive(method, params),
      onOverLimit: (reason) => this.#stop(reason),
    });
    this.#frame = new SandboxFrame({
      ...options.sandbox,
      onGranted: (granted, dropped) => {
        this.#granted = granted;
        for (const { list, source, why } of dropped) this.#log.remark(`csp.${list} ${source} was not granted: ${why}`);
      },
      onMessage: (data) => this.#channel.receive(data),
      onLeft: (reason) => this.#stop(reason),
    });
    this.#contextTracker = new HostContextTracker({
      ...options,
      element: this.#frame.element,
      pixels: options.limits.pixels,
      // Earlier changes reach the app with the response to `ui/initialize`.
      notify: (changed) => this.#stage !== "loading" && this.#notify(methods.hostContextChanged, changed),
    });
  }

  /** The outer frame. */
  get element(): HTMLIFrameElement {
    return this.#frame.element;
  }
  /** The latest messages and remarks, newest last. */
  get log(): readonly LogEntry[] {
    return this.#log.entries;
  }
  /** The granted part of what the app requested. */
  get granted(): SandboxGrant {
    return this.#granted;
  }
  /** The params of the app's `ui/initialize`. */
  get app(): InitializeParams | undefined {
    return this.#app;
  }
  get isReady(): boolean {
    return this.#stage === "ready";
  }
  get isClosed(): boolean {
    return this.#stage === "closed";
  }

  /** Resolves when the sandbox has loaded and received the app's page. */
  async opened(): Promise<this> {
    try {
      await this.#frame.opened;
    } catch (error) {
      this.#end();
      throw error;
    }
    return this;
  }

  /** Sends the arguments so far, while the model is still writing them. */
  partialInput(input: Params): void {
    if (this.#call !== "pending") throw late("partialInput()", "input()");
    this.#notify(methods.toolInputPartial, { arguments: input });
  }

  /** Sends the arguments of the call. Call it once. */
  input(input: Params): void {
    if (this.#call !== "pending") throw late("input()", "input()");
    this.#call = "running";
    this.#notify(methods.toolInput, { arguments: input });
  }

  result(result: AppToolResult): void {
    if (this.#call === "pending")
      throw new BiplaneError("INVALID_INPUT", "An app gets the input before the result. Call input() first.");
    if (this.#call === "ended") throw late("result()", "result() or cancelled()");
    this.#call = "ended";
    this.#notify(methods.toolResult, result);
  }

  /** Tells the app that there will be no result. */
  cancelled(reason?: string): void {
    if (this.#call === "ended") throw late("cancelled()", "result() or cancelled()");
    this.#call = "ended";
    this.#notify(methods.toolCancelled, reason === undefined ? {} : { reason });
  }

  /** Merges changes into the host context and sends them to the app. */
  context(changed: HostContext): void {
    this.#contextTracker.change(changed);
  }

  /** Tells the app that the server's tools have changed. */
  toolsChanged(): void {
    this.#requests.forgetTools();
    this.#notify(methods.toolsChanged, {});
  }

  resourcesChanged(): void {
    this.#notify(methods.resourcesChanged, {});
  }

  /** Resolves to whether the app answers in time (default: 5000 ms). */
  async ping(options: { patienceMs?: number } = {}): Promise<boolean> {
    if (!this.isReady) return false;
    const answered = this.#channel.request(methods.ping, {}, options.patienceMs ?? 5000);
    return answered.then(
      () => true,
      () => false,
    );
  }

  /** Asks the app to clean up, waits at most `patienceMs` (default: 1000), and removes it. */
  teardown(reason = "closed", options: { patienceMs?: number } = {}): Promise<void> {
    this.#teardown ??= this.#tearDown(reason, options.patienceMs ?? 1000);
    return this.#teardown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.teardown();
  }

  async #tearDown(reason: string, patienceMs: number): Promise<void> {
    if (this.isReady) {
      const answered = this.#channel.request(methods.resourceTeardown, { reason }, patienceMs);
      await answered.catch((error: unknown) =>
        this.#log.remark(`The app did not confirm its teardown: ${messageOf(error)}`),
      );
    }
    this.#end();
  }

  #stop(reason: string): void {
    if (this.isClosed) return;
    this.#log.remark(`The app was stopped: ${reason}`);
    this.#end();
    this.#options.onStopped?.(reason);
  }

  #end(): void {
    this.#stage = "closed";
    this.#queued.length = 0;
    this.#channel.close();
    this.#frame.remove();
  }

  /** Queues the message until the app is ready. */
  #notify(method: string, params: object): void {
    if (this.isReady) this.#channel.notify(method, params);
    else if (!this.isClosed) this.#queued.push(() => this.#channel.notify(method, params));
  }

  #answer(method: string, params: Params, signal: AbortSignal): Params | Promise<Params> {
    if (method === methods.initialize) return this.#initialize(readViewRequest[method](params));
    if (method === methods.requestDisplayMode)
      return this.#contextTracker.switchTo(readViewRequest[method](params).mode);
    return this.#requests.answer(method, params, signal);
  }

  /** Answers with our protocol version, whichever version the app asked for. */
  #initialize(app: InitializeParams): InitializeResult {
    this.#app = app;
    if (this.#stage === "loading") this.#stage = "initialized";
    this.#contextTracker.declare(app.appCapabilities.availableDisplayModes);
    return {
      protocolVersion,
      hostInfo: this.#options.hostInfo,
      hostCapabilities: { ...offeredCapabilities(this.#options), sandbox: this.#granted },
      hostContext: this.#contextTracker.context,
    };
  }

  #receive(method: string, params: Params): void {
    if (method === teardownRequest) return this.#options.onTeardown?.();
    if (!isViewNotification(method)) return this.#log.remark(`Unknown notification ${method.slice(0, 100)}`);
    try {
      if (method === methods.initialized) this.#ready();
      if (method === methods.sizeChanged) this.#contextTracker.resize(readViewNotification[method](params));
      if (method === methods.log) readViewNotification[method](params);
      if (method === methods.cancelled) {
        const { requestId } = readViewNotification[method](params);
        if (requestId !== undefined) this.#channel.cancel(requestId);
      }
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      this.#log.remark(`Ignored ${method}: ${error.message}`);
    }
  }

  #ready(): void {
    if (this.#stage !== "initialized") return;
    this.#stage = "ready";
    for (const send of this.#queued.splice(0)) {
      try {
        send();
      } catch (error) {
        this.#log.remark(`A message could not be sent to the app: ${messageOf(error)}`);
      }
    }
    this.#options.onReady?.();
  }
}

function late(what: string, after: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `${what} was called after ${after}.`);
}

/** Only in the draft, but harmless. */
const teardownRequest = "ui/notifications/request-teardown";
