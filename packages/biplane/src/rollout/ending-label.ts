/** Display label of an ending such as `max_steps` or `error: model`. The CLI and the admin page show the same label. */
export function endingLabel(ending: string): string {
  return labels.get(ending) ?? ending.replaceAll("_", " ");
}

const labels: ReadonlyMap<string, string> = new Map([
  ["control_plane_signal", "environment ended the episode"],
  ["max_steps", "step limit reached"],
  ["stop", "agent stopped"],
  ["length", "model length limit reached"],
  ["tool_calls", "agent stopped without a call"],
  ["user_stop", "user ended the conversation"],
  ["error: cancelled", "cancelled"],
]);
