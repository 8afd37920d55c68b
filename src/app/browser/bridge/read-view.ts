import type { Params, RpcId } from "../../../protocol/rpc.ts";
import { displayModes } from "./capabilities.ts";
import type { AppCapabilities, DisplayMode, Implementation } from "./capabilities.ts";
import { oneOf, optionalLength, optionalRecord, optionalText, present, record, text, texts, wrong } from "./fields.ts";
import type { LogLevel, ViewNotifications, ViewRequests } from "./messages.ts";
import { readBlocks } from "./read-content.ts";

type Readers<Messages> = { readonly [Method in keyof Messages]: (params: Params) => Messages[Method] };
type ParamsOf<Requests> = {
  [Method in keyof Requests]: Requests[Method] extends { params: infer Sent } ? Sent : never;
};

/** How a host reads what a page asks. What is returned has only members that are known; what is wrong is INVALID_INPUT. */
export const readViewRequest: Readers<ParamsOf<ViewRequests>> = {
  "ui/initialize": (params) => ({
    protocolVersion: text(params, "protocolVersion"),
    appInfo: implementation(record(params, "appInfo")),
    appCapabilities: appCapabilities(record(params, "appCapabilities")),
  }),
  "ui/open-link": (params) => ({ url: webAddress(text(params, "url")) }),
  "ui/message": (params) => ({
    role: oneOf(params, "role", ["user"]),
    content: readBlocks(params["content"], "content"),
  }),
  "ui/update-model-context": (params) =>
    present({
      content: params["content"] === undefined ? undefined : readBlocks(params["content"], "content"),
      structuredContent: optionalRecord(params, "structuredContent"),
    }),
  "ui/request-display-mode": (params) => ({ mode: oneOf(params, "mode", displayModes) }),
  // Nothing else goes on to the server: what a page writes into `_meta` is not the host's word.
  "tools/call": (params) => present({ name: text(params, "name"), arguments: optionalRecord(params, "arguments") }),
  "resources/read": (params) => ({ uri: text(params, "uri") }),
  ping: () => ({}),
};

export const readViewNotification: Readers<ViewNotifications> = {
  "ui/notifications/initialized": () => ({}),
  "ui/notifications/size-changed": (params) =>
    present({ width: optionalLength(params, "width"), height: optionalLength(params, "height") }),
  "notifications/message": (params) =>
    present({
      level: oneOf(params, "level", logLevels),
      logger: optionalText(params, "logger"),
      data: params["data"],
    }),
  "notifications/cancelled": (params) =>
    present({ requestId: id(params["requestId"]), reason: optionalText(params, "reason") }),
};

/** Whether it is a request of the stable text; the draft's and the others are for `unknownMethod`. */
export function isViewRequest(method: string): method is keyof ViewRequests {
  return Object.hasOwn(readViewRequest, method);
}

export function isViewNotification(method: string): method is keyof ViewNotifications {
  return Object.hasOwn(readViewNotification, method);
}

const logLevels: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

function implementation(info: Params): Implementation {
  return present({
    name: text(info, "name"),
    version: text(info, "version"),
    title: optionalText(info, "title"),
    description: optionalText(info, "description"),
    websiteUrl: optionalText(info, "websiteUrl"),
  });
}

/** Modes that only a later revision knows are left out: nobody here can switch to them. */
function appCapabilities(said: Params): AppCapabilities {
  const modes = texts(said, "availableDisplayModes");
  const tools = optionalRecord(said, "tools");
  return present({
    experimental: optionalRecord(said, "experimental") as Readonly<Record<string, object>> | undefined,
    tools: tools && (tools["listChanged"] === true ? { listChanged: true } : {}),
    availableDisplayModes: modes?.filter((mode): mode is DisplayMode => displayModes.includes(mode as DisplayMode)),
  });
}

/** A link is opened outside every sandbox, so `javascript:` and its kin stop here. */
function webAddress(url: string): string {
  if (!URL.canParse(url) || !["http:", "https:", "mailto:"].includes(new URL(url).protocol)) {
    throw wrong("url", "an absolute http, https or mailto address");
  }
  return url;
}

function id(value: unknown): RpcId | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
