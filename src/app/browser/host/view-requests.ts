import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { HostCapabilities } from "../bridge/capabilities.ts";
import type { Block, ReadResult, ToolResult } from "../bridge/content.ts";
import type { Attempt, CallToolParams, MessageParams, ModelContextParams } from "../bridge/messages.ts";
import { unknownMethod } from "../bridge/methods.ts";
import { isViewRequest, readViewRequest } from "../bridge/read-view.ts";
import { appTools } from "./visibility.ts";
import type { ListedTool } from "./visibility.ts";

/** The server that an app came from, over whatever the page has: MCP, or its own API. */
export interface AppServer {
  /** What the page knows it by, and never what it says of itself: it decides which apps share an origin. */
  readonly id: string;
  /** Both or none: without the list nobody knows which tools apps may call. */
  readonly callTool?: (name: string, input: Params, options: { signal: AbortSignal }) => Promise<ToolResult>;
  readonly listTools?: () => Promise<readonly ListedTool[]>;
  readonly readResource?: (uri: string, options: { signal: AbortSignal }) => Promise<ReadResult>;
}

/** What an app wants that a person should see first. */
export type ConsentRequest =
  /** The whole address, as the browser reads it. */
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "message"; readonly content: readonly Block[] }
  | { readonly kind: "tool"; readonly tool: ListedTool; readonly input: Params };

export interface ViewWishes {
  readonly server: AppServer;
  /** Asks the person. Without it no app opens links or sends messages. */
  readonly consent?: ((request: ConsentRequest) => boolean | Promise<boolean>) | undefined;
  /** Whether a person is asked before an app calls a tool that does not say it only reads. */
  readonly confirmTools?: boolean | undefined;
  /** Opens a link that was allowed: a new tab, unless said. */
  readonly openLink?: ((url: string) => void | Promise<void>) | undefined;
  /** An app's words as the user's next message. */
  readonly onMessage?: ((message: MessageParams) => void | Promise<void>) | undefined;
  /** What the model is to know the next time it is asked; each takes the place of the last. */
  readonly onModelContext?: ((context: ModelContextParams) => void | Promise<void>) | undefined;
}

/** What a host that wants these things offers apps. */
export function offered({ server, consent, onMessage, onModelContext }: ViewWishes): HostCapabilities {
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

/** Does what an app asks for, as far as it may. */
export class ViewRequests {
  readonly #wishes: ViewWishes;
  #tools: Promise<readonly ListedTool[]> | undefined;
  #isAsking = false;

  constructor(wishes: ViewWishes) {
    this.#wishes = wishes;
  }

  /** The list of tools is asked for again when it is needed. */
  forgetTools(): void {
    this.#tools = undefined;
  }

  /** Answers everything but what is about the frame itself. */
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

  async #callTool({ name, arguments: input = {} }: CallToolParams, signal: AbortSignal): Promise<ToolResult> {
    const { callTool } = this.#wishes.server;
    if (!callTool) throw notOffered("calls of tools");
    const tool = await this.#toolFor(name);
    if (this.#wishes.confirmTools && tool.annotations?.readOnlyHint !== true) {
      if (!(await this.#consents({ kind: "tool", tool, input }, signal)))
        throw new BiplaneError("APPROVAL_REJECTED", `${name} was not called: the user did not agree`);
    }
    signal.throwIfAborted();
    return callTool(name, input, { signal });
  }

  async #readResource(uri: string, signal: AbortSignal): Promise<ReadResult> {
    const { readResource } = this.#wishes.server;
    if (!readResource) throw notOffered("resources");
    return readResource(uri, { signal });
  }

  async #openLink(url: string, signal: AbortSignal): Promise<Attempt> {
    if (!this.#wishes.consent) throw notOffered("links");
    const link = new URL(url);
    if (!/^https?:$/.test(link.protocol) || link.username !== "" || link.password !== "" || link.href.length > 4096)
      throw new BiplaneError(
        "INVALID_INPUT",
        "Invalid params: url must be an http or https address without a password",
      );
    // Cookies know no ports: whoever listens at another one of ours would be sent the person's.
    if (link.hostname === window.location.hostname && link.origin !== window.location.origin)
      throw new BiplaneError("POLICY_DENIED", `${link.origin} is on the machine of this page, and is not this page`);
    if (!(await this.#consents({ kind: "link", url: link.href }, signal))) return { isError: true };
    await (this.#wishes.openLink ?? openTab)(link.href);
    return {};
  }

  async #message(message: MessageParams, signal: AbortSignal): Promise<Attempt> {
    const { onMessage, consent } = this.#wishes;
    if (!onMessage || !consent) throw notOffered("messages");
    if (!(await this.#consents({ kind: "message", content: message.content }, signal))) return { isError: true };
    await onMessage(message);
    return {};
  }

  async #updateModelContext(context: ModelContextParams): Promise<Params> {
    const { onModelContext } = this.#wishes;
    if (!onModelContext) throw notOffered("model context");
    await onModelContext(context);
    return {};
  }

  /** A tool of the app's own server that is meant for apps. A name that is not known may be new. */
  async #toolFor(name: string): Promise<ListedTool> {
    for (const isFresh of [this.#tools === undefined, true]) {
      if (isFresh) this.#tools = this.#listTools();
      const found = appTools((await this.#tools) ?? []).find((tool) => tool.name === name);
      if (found) return found;
      if (isFresh) break;
    }
    throw new BiplaneError("POLICY_DENIED", `${name} is no tool that apps of this server may call`);
  }

  async #listTools(): Promise<readonly ListedTool[]> {
    const { listTools } = this.#wishes.server;
    if (!listTools) throw notOffered("calls of tools");
    try {
      return await listTools();
    } catch (error) {
      this.#tools = undefined;
      throw error;
    }
  }

  /** One question at a time: an app cannot bury a person in them. */
  async #consents(request: ConsentRequest, signal: AbortSignal): Promise<boolean> {
    if (!this.#wishes.consent) return false;
    if (this.#isAsking) throw new BiplaneError("RATE_LIMITED", "The user is being asked something already");
    this.#isAsking = true;
    try {
      const answer: unknown = await this.#wishes.consent(request);
      // A yes to an app that is gone by now is a yes to nobody.
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
  return new BiplaneError("NOT_SUPPORTED", `This host has no ${what} for apps`);
}
