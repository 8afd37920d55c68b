import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { HostContext } from "../bridge/context.ts";
import type { ViewNotifications, ViewRequests } from "../bridge/messages.ts";
import { notServed, protocolVersion } from "../bridge/methods.ts";
import { hostStyles } from "./host-styles.ts";
import { Line } from "./line.ts";
import { recordIn, textIn, toolResult } from "./read-host.ts";
import type { HostInitialized, RequestOptions, ViewOptions } from "./view.ts";
import { watchSize } from "./watch-size.ts";

/** A page's conversation with its host, from the handshake on: who it is with, what is known, what is heard. */
export class Session {
  readonly #options: ViewOptions;
  readonly #line: Line;
  readonly #applyStyles: ((changed: HostContext) => void) | undefined;
  #stopWatching: (() => void) | undefined;
  readonly ready: Promise<HostInitialized>;
  host: HostInitialized["host"] | undefined;
  context: HostContext = {};

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#applyStyles = options.hostStyles === false ? undefined : hostStyles();
    this.#line = new Line({
      timeoutMs: options.timeoutMs ?? 60_000,
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => tryTo(() => this.#hear(method, params)),
    });
    this.ready = this.#begin();
  }

  async ask<Method extends keyof ViewRequests>(
    method: Method,
    params: ViewRequests[Method]["params"],
    options?: RequestOptions,
  ): Promise<ViewRequests[Method]["result"]> {
    await this.ready;
    return this.#line.request(method, params, options);
  }

  tell<Method extends keyof ViewNotifications>(method: Method, params: ViewNotifications[Method]): void {
    void this.ready.then(
      () => this.#line.notify(method, params),
      () => undefined, // whoever awaits `ready` has heard of it
    );
  }

  close(): void {
    this.#stopWatching?.();
    this.#line.close();
  }

  async #begin(): Promise<HostInitialized> {
    if (parent === window) throw new BiplaneError("NOT_SUPPORTED", alone);
    const { name, version, title, displayModes, autoResize } = this.#options;
    const result = await this.#line.request("ui/initialize", {
      protocolVersion,
      appInfo: { name, version, title },
      appCapabilities: { availableDisplayModes: displayModes },
    });
    this.host = result.hostInfo;
    tryTo(() => this.#changeContext(recordIn(result, "hostContext")));
    this.#line.notify("ui/notifications/initialized", {});
    if (autoResize !== false)
      this.#stopWatching = watchSize((size) => this.tell("ui/notifications/size-changed", size));
    return {
      host: this.host,
      context: this.context,
      capabilities: recordIn(result, "hostCapabilities"),
      protocolVersion: result.protocolVersion,
    };
  }

  #hear(method: string, params: Params): void {
    const { onPartialInput, onInput, onResult, onCancelled } = this.#options;
    switch (method) {
      case "ui/notifications/tool-input-partial":
        return onPartialInput?.(recordIn(params, "arguments"));
      case "ui/notifications/tool-input":
        return onInput?.(recordIn(params, "arguments"));
      case "ui/notifications/tool-result":
        return onResult?.(toolResult(params));
      case "ui/notifications/tool-cancelled":
        return onCancelled?.(textIn(params, "reason"));
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
    if (method === "ui/resource-teardown") await this.#options.onTeardown?.(textIn(params, "reason"));
    else if (method !== "ping") {
      // The draft lets a host call tools of the page.
      const { message } = notServed(method, method.startsWith("tools/"));
      throw new BiplaneError("NOT_SUPPORTED", message);
    }
    return {};
  }
}

const alone = "This page was opened without a host: call its tool in one that shows MCP Apps";

/** A handler of the page that throws is the page's error, and ends nothing here. */
function tryTo(run: () => void): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}
