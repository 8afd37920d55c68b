import { metrics } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";

export interface KeptMetric {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Makes OpenTelemetry keep here what is recorded in histograms. */
export function keepMetrics(): KeptMetric[] {
  const kept: KeptMetric[] = [];
  const createHistogram = (name: string) => ({
    record: (value: number, attributes: Attributes = {}) => void kept.push({ name, value, attributes }),
  });
  metrics.setGlobalMeterProvider({ getMeter: () => ({ createHistogram }) as never });
  return kept;
}
