import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EpisodeStep, OpenedEpisode, ShownTool } from "../../../../src/desk/contract.ts";
import { AppFrame } from "../../apps/app-frame.tsx";

/** The app of the tool that was called last, if it has one; where nothing was called yet, of the first that has one. */
export function appToolOf({ tools, steps }: OpenedEpisode): ShownTool | undefined {
  const last = steps.findLast(({ tool }) => tools.some(({ name, app }) => name === tool && app));
  return tools.find(({ name, app }) => app && (!last || name === last.tool));
}

/**
 * The environment's own app, at work in the episode: what is pressed in it is a step. It is begun anew for steps that
 * others make, but not for its own, of which it knows.
 */
export function EpisodeApp(props: {
  readonly episode: OpenedEpisode;
  readonly tool: ShownTool;
  readonly onCall: () => void;
}): JSX.Element {
  const { episode, tool, onCall } = props;
  const own = useRef(new Set<string>());
  const last = episode.steps.findLast((step) => step.tool === tool.name && step.result !== null);
  const [shown, setShown] = useState<EpisodeStep | undefined>(last);
  useEffect(() => {
    // The news of a step may be here before the app's own answer.
    const timer = setTimeout(() => {
      if (last?.call !== shown?.call && !own.current.has(last?.call ?? "")) setShown(last);
    }, 300);
    return () => clearTimeout(timer);
  }, [last?.call]);
  if (!tool.app || !shown)
    return <p class="muted">The app shows what a step came to: make the first one below, and it opens.</p>;
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
