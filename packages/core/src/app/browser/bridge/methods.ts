import type { RpcFault } from "../../../protocol/rpc.ts";
import type {
  HostNotifications,
  HostRequests,
  SandboxNotifications,
  ViewNotifications,
  ViewRequests,
} from "./messages.ts";
import { rpcCode } from "../../../protocol/protocol.ts";

/** The only stable revision of MCP Apps. A host answers every request for another one with it. */
export const protocolVersion = "2026-01-26";

/** The methods of the stable revision. */
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

/** Methods between host and sandbox page. The sandbox page forwards all other messages. */
export const sandboxPrefix = "ui/notifications/sandbox-";

/** Methods that only the draft allows a page to send. */
const draftMethods: ReadonlySet<string> = new Set([
  "ui/download-file",
  "ui/notifications/request-teardown",
  "sampling/createMessage",
  "tools/list",
]);

/** A host's error for a method it does not serve. Methods of the draft get their own message. */
export function unknownMethod(method: string): RpcFault {
  return notServed(method, draftMethods.has(method));
}

export function notServed(method: string, isDraft: boolean): RpcFault {
  const name = method.slice(0, 100);
  const message = isDraft
    ? `${name} is only in the draft of MCP Apps, not in ${protocolVersion}`
    : `Method not found: ${name}`;
  return { code: rpcCode.methodNotFound, message };
}
