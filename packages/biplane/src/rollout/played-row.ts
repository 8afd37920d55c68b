import { rolloutStatus } from "./ending.ts";
import type { RolloutStatus } from "./ending.ts";
import type { ChatMessage, ToolDefinition } from "./message.ts";
import type { Row } from "./row.ts";
import type { Trace } from "./trace.ts";

/** A row with its rollout in Eval Protocol's fields. `trace` is not enumerable, so it is not in the JSON. */
export interface PlayedRow extends Row {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly rollout_status: RolloutStatus;
  readonly execution_metadata: Readonly<Record<string, unknown>>;
  readonly trace: Trace;
}

/** Adds a rollout to its row. Other fields of the row are kept. */
export function playedRow(trace: Trace): PlayedRow {
  const { row, ending, failure, usage, cost } = trace;
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
    rollout_status: rolloutStatus(ending, failure),
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
