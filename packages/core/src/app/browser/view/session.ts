import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { HostContext } from "../bridge/context.ts";
import type { ViewNotifications, ViewRequests } from "../bridge/messages.ts";
import { notServed, protocolVersion } from "../bridge/methods.ts";
import { hostStyles } from "./host-styles.ts";
import { HostChannel } from "./host-channel.ts";
import { objectIn, stringIn, readHostToolResult } from "./read-host.ts";
import type { HostInitialized, ViewRequestOptions, ViewOptions } from "./view.ts";
import { watchSize } from "./watch-size.ts";

/** A page's session with its host, from the handshake on. */
export class ViewSession {
  readonly #options: ViewOptions;
  readonly #channel: HostChannel;
  readonly #applyStyles: ((changed: HostContext) => void) | undefined;
  #stopWatching: (() => void) | undefined;
  readonly ready: Promise<HostInitialized>;
  host: HostInitialized["host"] | undefined;
  context: HostContext = {};

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#applyStyles = options.hostStyles === false ? undefined : hostStyles();
    this.#channel = new HostChannel({
      timeoutMs: options.timeoutMs ?? 60_000,
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => tryTo(() => this.#receive(method, params)),
    });
    this.ready = this.#initialize();
  }

  async request<Method extends keyof ViewRequests>(
    method: Method,
    params: ViewRequests[Method]["params"],
    options?: ViewRequestOptions,
  ): Promise<ViewRequests[Method]["result"]> {
    await this.ready;
    return this.#channel.request(method, params, options);
  }

  notify<Method extends keyof ViewNotifications>(method: Method, params: ViewNotifications[Method]): void {
    void this.ready.then(
      () => this.#channel.notify(method, params),
      () => undefined, // callers see the failure through `ready`
    );
  }

  close(): void {
    this.#stopWatching?.();
    this.#channel.close();
  }

  async #initialize(): Promise<HostInitialized> {
    if (parent === window) throw new BiplaneError("NOT_SUPPORTED", noHost);
    const { name, version, title, displayModes, autoResize } = this.#options;
    const result = await this.#channel.request("ui/initialize", {
      protocolVersion,
      appInfo: { name, version, title },
      appCapabilities: { availableDisplayModes: displayModes },
    });
    this.host = result.hostInfo;
    tryTo(() => this.#changeContext(objectIn(result, "hostContext")));
    this.#channel.notify("ui/notifications/initialized", {});
    if (autoResize !== false)
      this.#stopWatching = watchSize((size) => this.notify("ui/notifications/size-changed", size));
    return {
      host: this.host,
      context: this.context,
      capabilities: objectIn(result, "hostCapabilities"),
      protocolVersion: result.protocolVersion,
    };
  }

  #receive(method: string, params: Params): void {
    const { onPartialInput, onInput, onResult, onCancelled } = this.#options;
    switch (method) {
      case "ui/notifications/tool-input-partial":
        return onPartialInput?.(objectIn(params, "arguments"));
      case "ui/notifications/tool-input":
        return onInput?.(objectIn(params, "arguments"));
      case "ui/notifications/tool-result":
        return onResult?.(readHostToolResult(params));
      case "ui/notifications/tool-cancelled":
        return onCancelled?.(stringIn(params, "reason"));
      case "ui/notifications/host-context-changed":
        return this.#changeContext(params);
    }
  }

  #changeContext(changed: HostContext): void {
    this.context = { ...this.context, ...changed };
    this.#applyStyles?.(changed);
    this.#options.onContext?.(changed, this.context);
  }

  async #answer(method: string, params: Params): Promise<Params> {
    if (method === "ui/resource-teardown") await this.#options.onTeardown?.(stringIn(params, "reason"));
    else if (method !== "ping") {
      // In the draft, a host may call tools of the page.
      const { message } = notServed(method, method.startsWith("tools/"));
      throw new BiplaneError("NOT_SUPPORTED", message);
    }
    return {};
  }
}

const noHost = "This page has no host. Call its tool in a client that shows MCP Apps.";

/** Reports errors of the page's handlers without ending the session. */
function tryTo(run: () => void): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}
