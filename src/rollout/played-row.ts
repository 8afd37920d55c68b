import { olderRolloutStatus, rolloutStatus } from "./ending.ts";
import type { Message, ToolDefinition } from "./message.ts";
import type { Row } from "./row.ts";
import type { Trace } from "./trace.ts";

/** A row after it was played: Eval Protocol's fields, and the trace, which is not part of its JSON. */
export interface PlayedRow extends Row {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly rollout_status: Readonly<Record<string, unknown>>;
  readonly execution_metadata: Readonly<Record<string, unknown>>;
  readonly trace: Trace;
}

/** Puts what was played into the row. What the row had before stays. */
export function playedRow(trace: Trace, options: { status?: "code" | "older" } = {}): PlayedRow {
  const { row, ending, usage, cost } = trace;
  const metadata = row.input_metadata ?? {};
  const played = {
    ...row,
    messages: trace.messages,
    tools: trace.tools,
    input_metadata: {
      ...metadata,
      row_id: trace.rowId,
      completion_params: { ...metadata.completion_params, model: trace.model },
    },
    rollout_status: options.status === "older" ? olderRolloutStatus(ending) : rolloutStatus(ending),
    execution_metadata: {
      ...(row["execution_metadata"] as object | undefined),
      rollout_id: trace.rollout,
      run_id: trace.run,
      usage,
      ...(cost !== undefined && { cost_metrics: { input_cost: null, output_cost: null, total_cost_dollar: cost } }),
      rollout_duration_seconds: trace.durationMs / 1000,
      finish_reason: ending.finishReason ?? ending.reason,
      tool_call_count: trace.steps.filter(({ call }) => call).length,
    },
  };
  return Object.defineProperty(played, "trace", { value: trace, enumerable: false }) as unknown as PlayedRow;
}
