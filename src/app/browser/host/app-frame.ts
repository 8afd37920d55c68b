import { BiplaneError, messageOf } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { Implementation } from "../bridge/capabilities.ts";
import type { ToolResult } from "../bridge/content.ts";
import type { HostContext } from "../bridge/context.ts";
import type { InitializeParams, InitializeResult } from "../bridge/messages.ts";
import { methods, protocolVersion } from "../bridge/methods.ts";
import { isViewNotification, readViewNotification, readViewRequest } from "../bridge/read-view.ts";
import type { AppLimits } from "./limits.ts";
import { MessageLog } from "./message-log.ts";
import type { LogEntry } from "./message-log.ts";
import { SandboxFrame } from "./sandbox-frame.ts";
import type { Granted, SandboxFrameOptions } from "./sandbox-frame.ts";
import { Surroundings } from "./surroundings.ts";
import type { SurroundingsOptions } from "./surroundings.ts";
import { ToolStory } from "./tool-story.ts";
import { ViewLine } from "./view-line.ts";
import { ViewRequests, offered } from "./view-requests.ts";
import type { ViewWishes } from "./view-requests.ts";

export interface AppEvents extends ViewWishes, Pick<SurroundingsOptions, "onSize" | "onDisplayMode"> {
  /** Every message, both ways, and what the host has to say about them. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** The app is there and has been told all that was waiting for it. */
  readonly onReady?: (() => void) | undefined;
  /** The app asks to be closed. Whether and when is the page's to say, by `teardown`. */
  readonly onTeardown?: (() => void) | undefined;
  /** The app was stopped because it flooded the page or went elsewhere. Its frames are gone. */
  readonly onStopped?: ((reason: string) => void) | undefined;
}

export interface AppFrameOptions extends AppEvents {
  readonly sandbox: Omit<SandboxFrameOptions, "onGranted" | "onMessage" | "onLeft">;
  readonly hostInfo: Implementation;
  readonly context: HostContext;
  readonly limits: AppLimits;
  readonly now: () => number;
}

/** An app that is shown. Made by `openApp`. What is told it before it listens is kept until it does. */
export class AppFrame implements AsyncDisposable {
  readonly #options: AppFrameOptions;
  readonly #log: MessageLog;
  readonly #frame: SandboxFrame;
  readonly #line: ViewLine;
  readonly #requests: ViewRequests;
  readonly #story: ToolStory;
  readonly #surroundings: Surroundings;
  readonly #held: (() => void)[] = [];
  #stage: "loading" | "greeted" | "ready" | "over" = "loading";
  #granted: Granted = { csp: {}, permissions: {} };
  #app: InitializeParams | undefined;
  #teardown: Promise<void> | undefined;

  constructor(options: AppFrameOptions) {
    this.#options = options;
    this.#log = new MessageLog({ now: options.now, onEntry: options.onLog });
    this.#requests = new ViewRequests(options);
    this.#story = new ToolStory((method, params) => this.#tell(method, params));
    this.#line = new ViewLine({
      ...options,
      log: this.#log,
      post: (message) => this.#frame.post(message),
      isEarly: (method) => this.#stage === "loading" && method !== methods.initialize,
      onRequest: (method, params, signal) => this.#answer(method, params, signal),
      onNotification: (method, params) => this.#hear(method, params),
      onTooMuch: (reason) => this.#stop(reason),
    });
    this.#frame = new SandboxFrame({
      ...options.sandbox,
      onGranted: (granted, dropped) => {
        this.#granted = granted;
        for (const { list, source, why } of dropped) this.#log.remark(`csp.${list} ${source} is not granted: ${why}`);
      },
      onMessage: (data) => this.#line.receive(data),
      onLeft: (reason) => this.#stop(reason),
    });
    this.#surroundings = new Surroundings({
      ...options,
      element: this.#frame.element,
      pixels: options.limits.pixels,
      // Before it is greeted, an app hears of changes in the greeting.
      tell: (changed) => this.#stage !== "loading" && this.#tell(methods.hostContextChanged, changed),
    });
  }

  /** The frame in the page. */
  get element(): HTMLIFrameElement {
    return this.#frame.element;
  }
  /** The latest messages and remarks, the newest last. */
  get log(): readonly LogEntry[] {
    return this.#log.entries;
  }
  /** What the sandbox granted of what the app asked for. */
  get granted(): Granted {
    return this.#granted;
  }
  /** What the app said of itself, once it has. */
  get app(): InitializeParams | undefined {
    return this.#app;
  }
  get isReady(): boolean {
    return this.#stage === "ready";
  }
  get isOver(): boolean {
    return this.#stage === "over";
  }

  /** Resolves when the sandbox is there and has the app's page. */
  async opened(): Promise<this> {
    try {
      await this.#frame.opened;
    } catch (error) {
      this.#end();
      throw error;
    }
    return this;
  }

  /** Arguments that are still being written: what is there so far, as whole JSON. */
  partialInput(input: Params): void {
    this.#story.partialInput(input);
  }

  /** The arguments of the call, once. */
  input(input: Params): void {
    this.#story.input(input);
  }

  result(result: ToolResult): void {
    this.#story.result(result);
  }

  /** There will be no result. */
  cancelled(reason?: string): void {
    this.#story.cancelled(reason);
  }

  /** Changes what the app knows of its surroundings. What is not named stays. */
  context(changed: HostContext): void {
    this.#surroundings.change(changed);
  }

  /** The server's tools are others now. */
  toolsChanged(): void {
    this.#requests.forgetTools();
    this.#tell(methods.toolsChanged, {});
  }

  resourcesChanged(): void {
    this.#tell(methods.resourcesChanged, {});
  }

  /** Whether the app answers. */
  async ping(options: { patienceMs?: number } = {}): Promise<boolean> {
    if (!this.isReady) return false;
    const answered = this.#line.request(methods.ping, {}, options.patienceMs ?? 5000);
    return answered.then(
      () => true,
      () => false,
    );
  }

  /** Lets the app put its things in order, for so long and no longer, and removes it. */
  teardown(reason = "closed", options: { patienceMs?: number } = {}): Promise<void> {
    this.#teardown ??= this.#tearDown(reason, options.patienceMs ?? 1000);
    return this.#teardown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.teardown();
  }

  async #tearDown(reason: string, patienceMs: number): Promise<void> {
    if (this.isReady) {
      const answered = this.#line.request(methods.resourceTeardown, { reason }, patienceMs);
      await answered.catch((error: unknown) => this.#log.remark(`the app did not take its leave: ${messageOf(error)}`));
    }
    this.#end();
  }

  #stop(reason: string): void {
    if (this.isOver) return;
    this.#log.remark(`the app was stopped: ${reason}`);
    this.#end();
    this.#options.onStopped?.(reason);
  }

  #end(): void {
    this.#stage = "over";
    this.#held.length = 0;
    this.#line.close();
    this.#frame.remove();
  }

  /** Nothing reaches an app before it says that it listens. */
  #tell(method: string, params: object): void {
    if (this.isReady) this.#line.notify(method, params);
    else if (!this.isOver) this.#held.push(() => this.#line.notify(method, params));
  }

  #answer(method: string, params: Params, signal: AbortSignal): Params | Promise<Params> {
    if (method === methods.initialize) return this.#greet(readViewRequest[method](params));
    if (method === methods.requestDisplayMode) return this.#surroundings.switchTo(readViewRequest[method](params).mode);
    return this.#requests.answer(method, params, signal);
  }

  /** Whatever revision the app asked for, ours is the one it gets. */
  #greet(app: InitializeParams): InitializeResult {
    this.#app = app;
    if (this.#stage === "loading") this.#stage = "greeted";
    this.#surroundings.declare(app.appCapabilities.availableDisplayModes);
    return {
      protocolVersion,
      hostInfo: this.#options.hostInfo,
      hostCapabilities: { ...offered(this.#options), sandbox: this.#granted },
      hostContext: this.#surroundings.context,
    };
  }

  #hear(method: string, params: Params): void {
    if (method === teardownRequest) return this.#options.onTeardown?.();
    if (!isViewNotification(method)) return this.#log.remark(`${method.slice(0, 100)} is not known here`);
    try {
      if (method === methods.initialized) this.#ready();
      if (method === methods.sizeChanged) this.#surroundings.resize(readViewNotification[method](params));
      if (method === methods.log) readViewNotification[method](params);
      if (method === methods.cancelled) {
        const { requestId } = readViewNotification[method](params);
        if (requestId !== undefined) this.#line.cancel(requestId);
      }
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      this.#log.remark(`${method} is ignored: ${error.message}`);
    }
  }

  #ready(): void {
    if (this.#stage !== "greeted") return;
    this.#stage = "ready";
    for (const tell of this.#held.splice(0)) {
      try {
        tell();
      } catch (error) {
        this.#log.remark(`the app was not told something: ${messageOf(error)}`);
      }
    }
    this.#options.onReady?.();
  }
}

/** The draft's; there is no harm in it. */
const teardownRequest = "ui/notifications/request-teardown";
