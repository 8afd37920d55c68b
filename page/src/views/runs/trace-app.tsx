import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { AppFrame } from "../../apps/app-frame.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { useResource } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";

type TraceStep = TraceDetail["trace"][number];

interface OpenedApp {
  readonly position: number;
  readonly step: TraceStep;
  readonly tool: ToolSummary;
}

/**
 * The result of a step in the app of its tool. It stays open between steps: the app of the last step is shown until that
 * of the next one is ready, and apps of earlier steps are kept.
 */
export function TraceAppCard({ trace, at }: { readonly trace: TraceDetail; readonly at: number }): JSX.Element | null {
  const step = trace.trace[at - 1];
  const tool = useAppTool(step);
  const isOpen = pageLocation.value.query["as"] === "app";
  const [apps, setApps] = useState<readonly OpenedApp[]>([]);
  const [ready, setReady] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    if (!isOpen) setApps([]);
    else if (step && tool)
      // Their order stays, because a frame that moves in the document loads again.
      setApps((last) =>
        last.some(({ position }) => position === at) ? last : [...last, { position: at, step, tool }].slice(-maxApps),
      );
  }, [isOpen, at, tool?.name]);
  const shown = useRef(at);
  if (ready.has(at) && apps.some(({ position }) => position === at)) shown.current = at;
  if (!apps.some(({ position }) => position === shown.current)) shown.current = apps.at(-1)?.position ?? at;
  if (!tool && apps.length === 0) return null;
  return (
    <Card
      title={apps.length > 0 && shown.current !== at ? `App, after step ${shown.current}` : "App"}
      class="trace-app"
      actions={
        <Button size="small" isPressed={isOpen} onClick={() => setQuery({ as: isOpen ? undefined : "app" })}>
          {isOpen ? "Close app" : "Open app"}
        </Button>
      }
    >
      {apps.length === 0 && <p class="muted">This step's tool has an app that shows its result.</p>}
      <div class="trace-apps">
        {apps.map((app) => (
          <div key={app.position} class={app.position === shown.current ? undefined : "trace-app-kept"}>
            <StepApp app={app} onReady={() => setReady((last) => new Set([...last, app.position]))} />
          </div>
        ))}
      </div>
    </Card>
  );
}

/** Frames use memory, so only the last few are kept. */
const maxApps = 4;

/**
 * The called tool, if it is served here and has an app. Only environment tools: without an episode their apps cannot make
 * calls, so the trace stays read-only.
 */
function useAppTool(step: TraceStep | undefined): ToolSummary | undefined {
  const name = step?.call?.tool;
  const request = name === undefined ? undefined : { query: { query: name } };
  const { data } = useResource("/api/tools", request, { isCached: true });
  const fitting = data?.tools.filter((tool) => tool.name === name && tool.needsEpisode && tool.app);
  return fitting?.length === 1 ? fitting[0] : undefined;
}

function StepApp({ app, onReady }: { readonly app: OpenedApp; readonly onReady: () => void }): JSX.Element | null {
  const { step, tool } = app;
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
      onReady={onReady}
    />
  );
}
