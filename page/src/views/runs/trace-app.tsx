import type { JSX } from "preact";
import type { OpenedTrace, ShownTool } from "../../../../src/desk/contract.ts";
import { AppFrame } from "../../apps/app-frame.tsx";
import { useResource } from "../../resource.ts";

type TraceStep = OpenedTrace["trace"][number];

/**
 * The tool that a step called, if one with an app is served here. Only an environment's: without an episode nothing that
 * is pressed in such an app does anything, and a trace is for reading.
 */
export function useAppTool(step: TraceStep | undefined): ShownTool | undefined {
  const name = step?.call?.name;
  const { data } = useResource<{ readonly tools: readonly ShownTool[] }>(
    name === undefined ? undefined : "/api/tools",
    { query: name },
  );
  const fitting = data?.tools.filter((tool) => tool.name === name && tool.needsEpisode && tool.app);
  return fitting?.length === 1 ? fitting[0] : undefined;
}

/** What a step came to, in the app of its tool. */
export function TraceApp({ step, tool }: { readonly step: TraceStep; readonly tool: ShownTool }): JSX.Element | null {
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
