import type { RpcFault } from "../../../protocol/rpc.ts";
import type { HostNotifications, HostRequests, SandboxNotifications } from "./messages.ts";
import type { ViewNotifications, ViewRequests } from "./messages.ts";
import { methodNotFound } from "./rpc.ts";

/** The revision of MCP Apps spoken here, the only stable one. A host answers any other with this one. */
export const protocolVersion = "2026-01-26";

/** The extension's name among the capabilities of clients and servers. */
export const extensionId = "io.modelcontextprotocol/ui";

/** The one kind of content an app's resource has. */
export const appMimeType = "text/html;profile=mcp-app";

/** Every method of the stable text, by what it does. */
export const methods = {
  initialize: "ui/initialize",
  initialized: "ui/notifications/initialized",
  openLink: "ui/open-link",
  message: "ui/message",
  updateModelContext: "ui/update-model-context",
  requestDisplayMode: "ui/request-display-mode",
  callTool: "tools/call",
  readResource: "resources/read",
  ping: "ping",
  sizeChanged: "ui/notifications/size-changed",
  log: "notifications/message",
  cancelled: "notifications/cancelled",
  progress: "notifications/progress",
  toolInputPartial: "ui/notifications/tool-input-partial",
  toolInput: "ui/notifications/tool-input",
  toolResult: "ui/notifications/tool-result",
  toolCancelled: "ui/notifications/tool-cancelled",
  hostContextChanged: "ui/notifications/host-context-changed",
  toolsChanged: "notifications/tools/list_changed",
  resourcesChanged: "notifications/resources/list_changed",
  resourceTeardown: "ui/resource-teardown",
  sandboxProxyReady: "ui/notifications/sandbox-proxy-ready",
  sandboxResourceReady: "ui/notifications/sandbox-resource-ready",
} as const satisfies Record<
  string,
  | keyof ViewRequests
  | keyof ViewNotifications
  | keyof HostRequests
  | keyof HostNotifications
  | keyof SandboxNotifications
>;

/** What a proxy keeps to itself: everything else is passed on, both ways. */
export const sandboxPrefix = "ui/notifications/sandbox-";

/** What the draft lets a page ask for or say; what it lets a host ask a page for are tools of the page's own. */
export const draftMethods: ReadonlySet<string> = new Set([
  "ui/download-file",
  "ui/notifications/request-teardown",
  "sampling/createMessage",
  "tools/list",
]);

/** A host's answer to a request that it does not serve; a draft's name is known, and said to be one. */
export function unknownMethod(method: string): RpcFault {
  return notServed(method, draftMethods.has(method));
}

export function notServed(method: string, isDraft: boolean): RpcFault {
  const name = method.slice(0, 100);
  const message = isDraft
    ? `${name} is a draft, not in MCP Apps ${protocolVersion}, and not served here`
    : `Method not found: ${name}`;
  return { code: methodNotFound, message };
}
