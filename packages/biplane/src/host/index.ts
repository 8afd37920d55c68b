export { adminApiHandler } from "../admin/http/api-handler.ts";
export type { AdminApiHandlerOptions } from "../admin/http/api-handler.ts";
export { startHost } from "./start-host.ts";
export type { HostOptions } from "./start-host.ts";
export type { Host } from "./open-host.ts";
export type { Runtime } from "./runtime.ts";
