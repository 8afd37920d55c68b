export { BiplaneError } from "../../../errors.ts";
export type { DisplayMode, HostCapabilities, Implementation } from "../bridge/capabilities.ts";
export type { Block, ReadResult, ToolResult } from "../bridge/content.ts";
export type { HostContext, StyleVariable, Theme } from "../bridge/context.ts";
export type { LogLevel } from "../bridge/messages.ts";
export { connectView } from "./connect-view.ts";
export type { HostInitialized, RequestOptions, View, ViewOptions } from "./view.ts";
export type { Incomplete, ViewOf, ViewTypes } from "./view-of.ts";
