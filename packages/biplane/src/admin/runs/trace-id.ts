/** A trace id contains its run. Run ids may contain colons; rollout ids do not. */
export function traceId(run: string, rollout: string): string {
  return `${run}:${rollout}`;
}

export function readTraceId(id: string): { readonly run: string; readonly rollout: string } | undefined {
  const at = id.lastIndexOf(":");
  return at < 0 ? undefined : { run: id.slice(0, at), rollout: id.slice(at + 1) };
}
