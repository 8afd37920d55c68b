import type * as OpenTelemetryApi from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";
import { BiplaneError } from "@biplane/core";

/** The module `@opentelemetry/api`, in any copy. */
export type OpenTelemetry = typeof OpenTelemetryApi;

/** Records how long an operation took. */
export type OperationDurations = (durationMs: number, attributes: Attributes) => void;

export async function loadOpenTelemetry(): Promise<OpenTelemetry> {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    throw new BiplaneError("NOT_SUPPORTED", "Tracing needs @opentelemetry/api. Install it next to biplane.", {
      cause: error,
    });
  }
}

/** The histogram of OpenTelemetry's conventions for MCP. Without an SDK for metrics it does nothing. */
export function operationDurations(api: OpenTelemetry, side: "server" | "client"): OperationDurations {
  const histogram = api.metrics.getMeter("biplane").createHistogram(`mcp.${side}.operation.duration`, {
    unit: "s",
    description: `Duration of an MCP request, as the ${side} sees it`,
    advice: { explicitBucketBoundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] },
  });
  return (durationMs, attributes) => histogram.record(durationMs / 1000, attributes);
}
