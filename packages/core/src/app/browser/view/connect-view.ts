import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { Content } from "../../../tool/content.ts";
import { readHostToolResult } from "./read-host.ts";
import { ViewSession } from "./session.ts";
import type { View, ViewOptions } from "./view.ts";
import type { AnyView, ViewTypes } from "./view-of.ts";

/** Connects a page to its host. The handshake starts at once; messages sent before it ends wait for it. */
export function connectView<Types extends ViewTypes = AnyView>(options: ViewOptions<Types>): View<Types> {
  const session = new ViewSession(options as unknown as ViewOptions);
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
      return readHostToolResult(await session.request("tools/call", params, options));
    },
    async readResource(uri, options) {
      const result = await session.request("resources/read", { uri }, options);
      check(!Array.isArray(result.contents), `read ${uri}`);
      return result;
    },
    async message(content, options) {
      const params = { role: "user", content: contentOf(content) } as const;
      const { isError } = await session.request("ui/message", params, options);
      check(isError, "accept the message");
    },
    async updateContext({ content, structured }, options) {
      const params = { content: content === undefined ? content : contentOf(content), structuredContent: structured };
      await session.request("ui/update-model-context", params, options);
    },
    async openLink(url, options) {
      const { isError } = await session.request("ui/open-link", { url }, options);
      check(isError, `open ${url}`);
    },
    async requestDisplayMode(mode, options) {
      await session.ready;
      const { availableDisplayModes, displayMode = "inline" } = session.context;
      // Do not ask for a mode that the host does not offer.
      if (availableDisplayModes?.includes(mode) === false) return displayMode;
      return (await session.request("ui/request-display-mode", { mode }, options)).mode;
    },
    log: (level, data, logger) => session.notify("notifications/message", { level, data, logger }),
    resize: (size) => session.notify("ui/notifications/size-changed", size),
    close: () => session.close(),
  };
}

function contentOf(content: string | readonly Content[]): readonly Content[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function check(isError: boolean | undefined, action: string): void {
  if (isError) throw new BiplaneError("EXECUTION_ERROR", `The host did not ${action}.`);
}
