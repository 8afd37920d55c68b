import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { HostCapabilities } from "../bridge/capabilities.ts";
import type { Content } from "../../../tool/content.ts";
import type { AppReadResult, AppToolResult } from "../bridge/content.ts";
import type { Attempt, CallToolParams, MessageParams, ModelContextParams } from "../bridge/messages.ts";
import { unknownMethod } from "../bridge/methods.ts";
import { isViewRequest, readViewRequest } from "../bridge/read-view.ts";
import { appTools } from "./visibility.ts";
import type { ListedTool } from "./visibility.ts";

/** Access to the server of an app, over MCP or any other API. */
export interface AppServer {
  /** Your own id for the server, never one that the server chose: it decides which apps share an origin. */
  readonly id: string;
  /** Needs `listTools`, which tells which tools apps may call. */
  readonly callTool?: (name: string, input: Params, options: { signal: AbortSignal }) => Promise<AppToolResult>;
  readonly listTools?: () => Promise<readonly ListedTool[]>;
  /** Returns what the server answered to `resources/read`. */
  readonly readResource?: (
    uri: string,
    options: { signal: AbortSignal },
  ) => Promise<{ readonly contents: readonly object[] }>;
}

/** A request of an app that the user must confirm. */
export type ConsentRequest =
  /** The complete URL, as the browser parses it. */
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "message"; readonly content: readonly Content[] }
  | { readonly kind: "tool"; readonly tool: ListedTool; readonly input: Params };

export interface ViewRequestHandlers {
  readonly server: AppServer;
  /** Asks the user. Without it, apps cannot open links or send messages. */
  readonly consent?: ((request: ConsentRequest) => boolean | Promise<boolean>) | undefined;
  /** Asks the user before an app calls a tool without `readOnlyHint`. */
  readonly confirmTools?: boolean | undefined;
  /** Opens a confirmed link (default: in a new tab). */
  readonly openLink?: ((url: string) => void | Promise<void>) | undefined;
  /** Receives a message of the app, to be sent as the user's. */
  readonly onMessage?: ((message: MessageParams) => void | Promise<void>) | undefined;
  /** Receives context for the model's next turn. It replaces the previous one. */
  readonly onModelContext?: ((context: ModelContextParams) => void | Promise<void>) | undefined;
}

/** The host capabilities that follow from these handlers. */
export function offeredCapabilities({
  server,
  consent,
  onMessage,
  onModelContext,
}: ViewRequestHandlers): HostCapabilities {
  const content = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} };
  return {
    logging: {},
    ...(consent && { openLinks: {} }),
    ...(server.callTool && server.listTools && { serverTools: { listChanged: true } }),
    ...(server.readResource && { serverResources: { listChanged: true } }),
    ...(onMessage && consent && { message: content }),
    ...(onModelContext && { updateModelContext: { ...content, structuredContent: {} } }),
  };
}

/** Serves the requests of an app. */
export class ViewRequestDispatcher {
  readonly #handlers: ViewRequestHandlers;
  #tools: Promise<readonly ListedTool[]> | undefined;
  #isAsking = false;

  constructor(handlers: ViewRequestHandlers) {
    this.#handlers = handlers;
  }

  /** Clears the cached list of tools. */
  forgetTools(): void {
    this.#tools = undefined;
  }

  /** Serves every request except those about the frame itself. */
  answer(method: string, params: Params, signal: AbortSignal): Params | Promise<Params> {
    switch (isViewRequest(method) ? method : undefined) {
      case "ping":
        return {};
      case "tools/call":
        return this.#callTool(readViewRequest["tools/call"](params), signal);
      case "resources/read":
        return this.#readResource(readViewRequest["resources/read"](params).uri, signal);
      case "ui/open-link":
        return this.#openLink(readViewRequest["ui/open-link"](params).url, signal);
      case "ui/message":
        return this.#message(readViewRequest["ui/message"](params), signal);
      case "ui/update-model-context":
        return this.#updateModelContext(readViewRequest["ui/update-model-context"](params));
      default:
        throw new BiplaneError("NOT_SUPPORTED", unknownMethod(method).message);
    }
  }

  async #callTool({ name, arguments: input = {} }: CallToolParams, signal: AbortSignal): Promise<AppToolResult> {
    const { callTool } = this.#handlers.server;
    if (!callTool) throw notOffered("tool calls");
    const tool = await this.#toolFor(name);
    if (this.#handlers.confirmTools && tool.annotations?.readOnlyHint !== true) {
      if (!(await this.#consents({ kind: "tool", tool, input }, signal)))
        throw new BiplaneError("APPROVAL_REJECTED", `${name} was not called: the user declined`);
    }
    signal.throwIfAborted();
    return callTool(name, input, { signal });
  }

  async #readResource(uri: string, signal: AbortSignal): Promise<AppReadResult> {
    const { readResource } = this.#handlers.server;
    if (!readResource) throw notOffered("resources");
    // The app gets it as the server sent it.
    return (await readResource(uri, { signal })) as AppReadResult;
  }

  async #openLink(url: string, signal: AbortSignal): Promise<Attempt> {
    if (!this.#handlers.consent) throw notOffered("links");
    const link = new URL(url);
    if (!/^https?:$/.test(link.protocol) || link.username !== "" || link.password !== "" || link.href.length > 4096)
      throw new BiplaneError(
        "INVALID_INPUT",
        "Invalid params: url must be an http or https address without a password",
      );
    // Cookies ignore ports, so another port of this host would receive the user's cookies.
    if (link.hostname === window.location.hostname && link.origin !== window.location.origin)
      throw new BiplaneError(
        "POLICY_DENIED",
        `${link.origin} is another port of this page's host, which apps may not open`,
      );
    if (!(await this.#consents({ kind: "link", url: link.href }, signal))) return { isError: true };
    await (this.#handlers.openLink ?? openTab)(link.href);
    return {};
  }

  async #message(message: MessageParams, signal: AbortSignal): Promise<Attempt> {
    const { onMessage, consent } = this.#handlers;
    if (!onMessage || !consent) throw notOffered("messages");
    if (!(await this.#consents({ kind: "message", content: message.content }, signal))) return { isError: true };
    await onMessage(message);
    return {};
  }

  async #updateModelContext(context: ModelContextParams): Promise<Params> {
    const { onModelContext } = this.#handlers;
    if (!onModelContext) throw notOffered("model context");
    await onModelContext(context);
    return {};
  }

  /** Finds a tool that apps may call. Lists the tools again if the name is unknown, because it may be new. */
  async #toolFor(name: string): Promise<ListedTool> {
    for (const isFresh of [this.#tools === undefined, true]) {
      if (isFresh) this.#tools = this.#listTools();
      const found = appTools((await this.#tools) ?? []).find((tool) => tool.name === name);
      if (found) return found;
      if (isFresh) break;
    }
    throw new BiplaneError("POLICY_DENIED", `${name} is not a tool that apps of this server may call`);
  }

  async #listTools(): Promise<readonly ListedTool[]> {
    const { listTools } = this.#handlers.server;
    if (!listTools) throw notOffered("tool calls");
    try {
      return await listTools();
    } catch (error) {
      this.#tools = undefined;
      throw error;
    }
  }

  /** Allows one question at a time, so that an app cannot flood the user. */
  async #consents(request: ConsentRequest, signal: AbortSignal): Promise<boolean> {
    if (!this.#handlers.consent) return false;
    if (this.#isAsking) throw new BiplaneError("RATE_LIMITED", "The user is already being asked something");
    this.#isAsking = true;
    try {
      const answer: unknown = await this.#handlers.consent(request);
      // The app may have been closed in the meantime.
      signal.throwIfAborted();
      return answer === true;
    } finally {
      this.#isAsking = false;
    }
  }
}

function openTab(url: string): void {
  window.open(url, "_blank", "noopener,noreferrer");
}

function notOffered(what: string): BiplaneError {
  return new BiplaneError("NOT_SUPPORTED", `This host does not offer ${what} to apps`);
}
