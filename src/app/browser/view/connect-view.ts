import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { Block } from "../bridge/content.ts";
import { toolResult } from "./read-host.ts";
import { Session } from "./session.ts";
import type { View, ViewOptions } from "./view.ts";
import type { AnyView, ViewTypes } from "./view-of.ts";

/** Connects a page to the host that shows it. Everything that is sent waits for the handshake, which begins at once. */
export function connectView<Types extends ViewTypes = AnyView>(options: ViewOptions<Types>): View<Types> {
  const session = new Session(options as unknown as ViewOptions);
  return {
    ready: session.ready,
    get host() {
      return session.host;
    },
    get context() {
      return session.context;
    },
    async callTool(name, ...[input, options]) {
      const params = { name, arguments: input as Params | undefined };
      return toolResult(await session.ask("tools/call", params, options));
    },
    async readResource(uri, options) {
      const result = await session.ask("resources/read", { uri }, options);
      check(!Array.isArray(result.contents), `read ${uri}`);
      return result;
    },
    async message(content, options) {
      const params = { role: "user", content: blocks(content) } as const;
      const { isError } = await session.ask("ui/message", params, options);
      check(isError, "take the message");
    },
    async updateContext({ content, structured }, options) {
      const params = { content: content === undefined ? content : blocks(content), structuredContent: structured };
      await session.ask("ui/update-model-context", params, options);
    },
    async openLink(url, options) {
      const { isError } = await session.ask("ui/open-link", { url }, options);
      check(isError, `open ${url}`);
    },
    async requestDisplayMode(mode, options) {
      await session.ready;
      const { availableDisplayModes, displayMode = "inline" } = session.context;
      // A host that says which modes it has is not asked for another.
      if (availableDisplayModes?.includes(mode) === false) return displayMode;
      return (await session.ask("ui/request-display-mode", { mode }, options)).mode;
    },
    log: (level, data, logger) => session.tell("notifications/message", { level, data, logger }),
    resize: (size) => session.tell("ui/notifications/size-changed", size),
    close: () => session.close(),
  };
}

function blocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function check(isError: boolean | undefined, what: string): void {
  if (isError) throw new BiplaneError("EXECUTION_ERROR", `The host did not ${what}`);
}
