import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { AppFrame } from "../../apps/app-frame.tsx";
import { useResource } from "../../resource.ts";

type TraceStep = TraceDetail["trace"][number];

/**
 * The called tool, if it is served here and has an app. Only environment tools: without an episode their apps cannot make
 * calls, so the trace stays read-only.
 */
export function useAppTool(step: TraceStep | undefined): ToolSummary | undefined {
  const name = step?.call?.tool;
  const { data } = useResource("/api/tools", name === undefined ? undefined : { query: { query: name } });
  const fitting = data?.tools.filter((tool) => tool.name === name && tool.needsEpisode && tool.app);
  return fitting?.length === 1 ? fitting[0] : undefined;
}

/** The result of a step in the app of its tool. */
export function TraceApp({ step, tool }: { readonly step: TraceStep; readonly tool: ToolSummary }): JSX.Element | null {
  if (!tool.app) return null;
  const { observation } = step;
  const text = typeof observation === "string" ? observation : (JSON.stringify(observation) ?? "");
  const isObject = typeof observation === "object" && observation !== null;
  return (
    <AppFrame
      server={tool.server}
      uri={tool.app.uri}
      tool={tool}
      input={step.call?.input}
      result={{
        content: [{ type: "text", text }],
        ...(isObject && { structuredContent: observation }),
        ...(step.call?.isError === true && { isError: true }),
      }}
    />
  );
}
