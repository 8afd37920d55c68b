import type { Params, RpcId } from "../../../protocol/rpc.ts";
import { displayModes } from "./capabilities.ts";
import type { AppCapabilities, DisplayMode, Implementation } from "./capabilities.ts";
import {
  enumField,
  optionalLengthField,
  optionalObjectField,
  optionalStringField,
  present,
  objectField,
  stringField,
  optionalStringsField,
  fieldError,
} from "./fields.ts";
import { logLevels } from "../../../tool/log-level.ts";
import type { ViewNotifications, ViewRequests } from "./messages.ts";
import { readContent } from "./read-content.ts";

type Readers<Messages> = { readonly [Method in keyof Messages]: (params: Params) => Messages[Method] };
type ParamsOf<Requests> = {
  [Method in keyof Requests]: Requests[Method] extends { params: infer Sent } ? Sent : never;
};

/** Reads untrusted requests of a page. Unknown fields are dropped; wrong ones throw INVALID_INPUT. */
export const readViewRequest: Readers<ParamsOf<ViewRequests>> = {
  "ui/initialize": (params) => ({
    protocolVersion: stringField(params, "protocolVersion"),
    appInfo: implementation(objectField(params, "appInfo")),
    appCapabilities: appCapabilities(objectField(params, "appCapabilities")),
  }),
  "ui/open-link": (params) => ({ url: webAddress(stringField(params, "url")) }),
  "ui/message": (params) => ({
    role: enumField(params, "role", ["user"]),
    content: readContent(params["content"], "content"),
  }),
  "ui/update-model-context": (params) =>
    present({
      content: params["content"] === undefined ? undefined : readContent(params["content"], "content"),
      structuredContent: optionalObjectField(params, "structuredContent"),
    }),
  "ui/request-display-mode": (params) => ({ mode: enumField(params, "mode", displayModes) }),
  // `_meta` is dropped: the server would take it for the host's.
  "tools/call": (params) =>
    present({ name: stringField(params, "name"), arguments: optionalObjectField(params, "arguments") }),
  "resources/read": (params) => ({ uri: stringField(params, "uri") }),
  ping: () => ({}),
};

export const readViewNotification: Readers<ViewNotifications> = {
  "ui/notifications/initialized": () => ({}),
  "ui/notifications/size-changed": (params) =>
    present({ width: optionalLengthField(params, "width"), height: optionalLengthField(params, "height") }),
  "notifications/message": (params) =>
    present({
      level: enumField(params, "level", logLevels),
      logger: optionalStringField(params, "logger"),
      data: params["data"],
    }),
  "notifications/cancelled": (params) =>
    present({ requestId: id(params["requestId"]), reason: optionalStringField(params, "reason") }),
};

/** True for requests of the stable revision. For all others, see `unknownMethod`. */
export function isViewRequest(method: string): method is keyof ViewRequests {
  return Object.hasOwn(readViewRequest, method);
}

export function isViewNotification(method: string): method is keyof ViewNotifications {
  return Object.hasOwn(readViewNotification, method);
}

function implementation(info: Params): Implementation {
  return present({
    name: stringField(info, "name"),
    version: stringField(info, "version"),
    title: optionalStringField(info, "title"),
    description: optionalStringField(info, "description"),
    websiteUrl: optionalStringField(info, "websiteUrl"),
  });
}

/** Drops unknown display modes, which a later revision may add. */
function appCapabilities(declared: Params): AppCapabilities {
  const modes = optionalStringsField(declared, "availableDisplayModes");
  const tools = optionalObjectField(declared, "tools");
  return present({
    experimental: optionalObjectField(declared, "experimental") as Readonly<Record<string, object>> | undefined,
    tools: tools && (tools["listChanged"] === true ? { listChanged: true } : {}),
    availableDisplayModes: modes?.filter((mode): mode is DisplayMode => displayModes.includes(mode as DisplayMode)),
  });
}

/** Links open outside the sandbox, so `javascript:` and similar schemes are rejected. */
function webAddress(url: string): string {
  if (!URL.canParse(url) || !["http:", "https:", "mailto:"].includes(new URL(url).protocol)) {
    throw fieldError("url", "an absolute http, https or mailto address");
  }
  return url;
}

function id(value: unknown): RpcId | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
