import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EpisodeStep, EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { AppFrame } from "../../apps/app-frame.tsx";

/** The last called tool that has an app, or the first tool with an app if none was called. */
export function appToolOf({ tools, steps }: EpisodeDetail): ToolSummary | undefined {
  const last = steps.findLast(({ tool }) => tools.some(({ name, app }) => name === tool && app));
  return tools.find(({ name, app }) => app && (!last || name === last.tool));
}

/**
 * The environment's app, connected to the episode: its calls are steps. The app restarts after steps of other callers,
 * but not after its own.
 */
export function EpisodeApp(props: {
  readonly episode: EpisodeDetail;
  readonly tool: ToolSummary;
  readonly onCall: () => void;
}): JSX.Element {
  const { episode, tool, onCall } = props;
  const own = useRef(new Set<string>());
  const last = episode.steps.findLast((step) => step.tool === tool.name && step.result !== null);
  const [shown, setShown] = useState<EpisodeStep | undefined>(last);
  useEffect(() => {
    // The event of a step may arrive before the app's own response.
    const timer = setTimeout(() => {
      if (last?.call !== shown?.call && !own.current.has(last?.call ?? "")) setShown(last);
    }, 300);
    return () => clearTimeout(timer);
  }, [last?.call]);
  if (!tool.app || !shown)
    return <p class="muted">The app shows the result of a step. Take the first step below to open it.</p>;
  return (
    <AppFrame
      server={episode.server}
      uri={tool.app.uri}
      tool={tool}
      input={shown.input}
      result={shown.result}
      episode={episode.id}
      onCall={(_, { call }) => {
        if (call !== null) own.current.add(call);
        onCall();
      }}
    />
  );
}
