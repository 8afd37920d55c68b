export { BiplaneError } from "../../../errors.ts";
export type { DisplayMode, HostCapabilities, Implementation } from "../bridge/capabilities.ts";
export type { Content } from "../../../tool/content.ts";
export type { LogLevel } from "../../../tool/log-level.ts";
export type { AppReadResult, AppToolResult } from "../bridge/content.ts";
export type { HostContext, StyleVariable, Theme } from "../bridge/context.ts";
export { connectView } from "./connect-view.ts";
export type { HostInitialized, ViewRequestOptions, View, ViewOptions } from "./view.ts";
export type { Incomplete, ViewOf, ViewTypes } from "./view-of.ts";
