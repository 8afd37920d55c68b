export { logRequests } from "./log-requests.ts";
export { createLogger, levels } from "./logs.ts";
export type { Fields, Level, Logger, LoggerOptions } from "./logs.ts";
export { createMetrics } from "./metrics.ts";
export type { GaugeName, Metrics, MetricsOptions } from "./metrics.ts";
export { metricsEndpoint } from "./metrics-endpoint.ts";
export { traceWith } from "./spans.ts";
export type { OpenTelemetry, TraceOptions } from "./spans.ts";
