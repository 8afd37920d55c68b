import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ResultBody, CallViaResult } from "../../../packages/biplane/src/admin/calls/call-api.ts";
import type { ToolSummary } from "../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Problem } from "../components/states.tsx";
import { Text } from "../components/text.tsx";
import { serverOverview } from "../server-overview.ts";
import { Blocks } from "./blocks.tsx";
import { ConsentDialog } from "./consent-dialog.tsx";
import { MessagePanel } from "./message-panel.tsx";
import { useApp } from "./use-app.ts";
import type { ShownApp } from "./use-app.ts";
import "./style.css";

export interface AppFrameProps {
  readonly server: string;
  /** URI of the app: `ui://…`. */
  readonly uri: string;
  /** The called tool. Only `name` is required. */
  readonly tool: AppTool;
  readonly input: unknown;
  /** Null if the call returned no result. */
  readonly result: ResultBody | null;
  /** The app's tool calls become steps of this episode. */
  readonly episode?: string | undefined;
  /** Called when the app shows the result. */
  readonly onReady?: (() => void) | undefined;
  /** Called after the app has called a tool. */
  readonly onCall?: ((tool: string, result: CallViaResult) => void) | undefined;
}

export type AppTool = Pick<ToolSummary, "name"> &
  Partial<Pick<ToolSummary, "title" | "description" | "input" | "output" | "annotations">>;

/** Runs a tool's app in its sandbox, with the result as text and the message log below. */
export function AppFrame(props: AppFrameProps): JSX.Element {
  const sandbox = serverOverview.value?.sandbox;
  return (
    <div class="app">
      {sandbox === null && <NoSandbox />}
      {typeof sandbox === "string" && <Stage {...props} sandbox={sandbox} />}
      <details class="app-more" open>
        <summary>Text result</summary>
        <div class="app-text" tabIndex={0} role="region" aria-label="Result as text">
          {props.result ? (
            <Blocks blocks={props.result.content} server={props.server} episode={props.episode} />
          ) : (
            <p class="muted">No result.</p>
          )}
        </div>
      </details>
    </div>
  );
}

function Stage(props: AppFrameProps & { readonly sandbox: string }): JSX.Element {
  const stage = useRef<HTMLDialogElement>(null);
  const container = useRef<HTMLDivElement>(null);
  const app = useApp(stage, container, props);
  const isFull = app.mode === "fullscreen";
  useEffect(() => {
    if (app.state !== "opening") props.onReady?.();
  }, [app.state]);
  const name = app.name ?? props.tool.title ?? props.tool.name;
  return (
    <>
      {/* Always open. Making it modal fills the window without moving the iframe, which would reload the app. */}
      <dialog
        ref={stage}
        class={isFull ? "app-stage app-stage-full" : "app-stage"}
        aria-label={`App of ${props.tool.name}`}
        onClose={() => app.show("inline")}
      >
        <header class="app-bar">
          <span class="grow ellipsis">
            <Text value={name} maxLength={80} isFixed />
          </span>
          <AppState app={app} />
          {(app.canFill || isFull) && (
            <Button
              kind="quiet"
              size="small"
              icon={isFull ? "close" : "external"}
              label={isFull ? "Exit full screen" : "Full screen"}
              onClick={() => app.show(isFull ? "inline" : "fullscreen")}
            />
          )}
        </header>
        <div ref={container} class="app-container" data-state={app.state} />
      </dialog>
      {app.problem !== undefined && <Problem error={app.problem} retry={() => app.reopen()} />}
      {app.question && <ConsentDialog question={app.question} app={name} />}
      <ForModel app={app} />
      <MessagePanel entries={app.entries} granted={app.granted} />
    </>
  );
}

function AppState({ app }: { readonly app: ShownApp }): JSX.Element | null {
  if (app.state === "opening") return <Badge tone="info">loading</Badge>;
  if (app.state === "stopped") return <Badge tone="bad">stopped</Badge>;
  if (app.state === "failed") return <Badge tone="bad">failed</Badge>;
  return <Badge title="Runs in a sandbox on its own origin">sandboxed</Badge>;
}

/** The page has no model, so what the app sends to the model is shown here. */
function ForModel({ app }: { readonly app: ShownApp }): JSX.Element | null {
  if (app.messages.length === 0 && app.modelContext === undefined) return null;
  return (
    <details class="app-more" open>
      <summary>Sent to the model</summary>
      <div class="stack-tight app-model">
        {app.messages.map((content, at) => (
          <div key={at} class="app-output">
            <span class="muted small">Message from the app, sent as the user</span>
            <Blocks blocks={content} />
          </div>
        ))}
        {app.modelContext !== undefined && (
          <div class="app-output">
            <span class="muted small">Context for the model's next turn</span>
            <Blocks blocks={app.modelContext} />
          </div>
        )}
      </div>
    </details>
  );
}

function NoSandbox(): JSX.Element {
  return (
    <p class="app-note">
      This tool has an app, but apps cannot run here because they need a separate origin. Set{" "}
      <code>http.sandboxUrl</code> in the config, for example <code>https://{"{app}"}.apps.example.com</code>, and
      restart the server.
    </p>
  );
}
