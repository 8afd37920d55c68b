import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { ShownResult, ShownTool, WayAnswer } from "../../../src/desk/contract.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Problem } from "../components/states.tsx";
import { Text } from "../components/text.tsx";
import { house } from "../house.ts";
import { Blocks } from "./blocks.tsx";
import { ConsentDialog } from "./consent-dialog.tsx";
import { MessagePanel } from "./message-panel.tsx";
import { useApp } from "./use-app.ts";
import type { ShownApp } from "./use-app.ts";
import "./style.css";

export interface AppFrameProps {
  readonly server: string;
  /** The app's page: `ui://…`. */
  readonly uri: string;
  /** The tool that was called; its name is enough. */
  readonly tool: AppTool;
  readonly input: unknown;
  /** What it came to; null says that there is none. */
  readonly result: ShownResult | null;
  /** In an environment: what the app calls are steps of this episode. */
  readonly episode?: string | undefined;
  /** The app has called a tool. */
  readonly onCall?: ((tool: string, answer: WayAnswer) => void) | undefined;
}

export type AppTool = Pick<ShownTool, "name"> &
  Partial<Pick<ShownTool, "title" | "description" | "input" | "output" | "annotations">>;

/** An app of a tool, run in its sandbox, with the same as text below it and every message that goes by. */
export function AppFrame(props: AppFrameProps): JSX.Element {
  const sandbox = house.value?.sandbox;
  return (
    <div class="app">
      {sandbox === null && <NoSandbox />}
      {typeof sandbox === "string" && <Stage {...props} sandbox={sandbox} />}
      <details class="app-more" open>
        <summary>The same as text</summary>
        <div class="app-text" tabIndex={0} role="region" aria-label="The result as text">
          {props.result ? (
            <Blocks blocks={props.result.content} server={props.server} episode={props.episode} />
          ) : (
            <p class="muted">There is no result.</p>
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
  const name = app.name ?? props.tool.title ?? props.tool.name;
  return (
    <>
      {/* A dialog that is always seen: made modal it fills the window, and the frame in it is never moved or reloaded. */}
      <dialog
        ref={stage}
        class={isFull ? "app-stage app-stage-full" : "app-stage"}
        aria-label={`App of ${props.tool.name}`}
        onClose={() => app.show("inline")}
      >
        <header class="app-bar">
          <span class="grow ellipsis">
            <Text value={name} most={80} isFixed />
          </span>
          <AppState app={app} />
          {(app.canFill || isFull) && (
            <Button
              kind="quiet"
              size="small"
              icon={isFull ? "close" : "external"}
              label={isFull ? "Leave full screen" : "Full screen"}
              onClick={() => app.show(isFull ? "inline" : "fullscreen")}
            />
          )}
        </header>
        <div ref={container} class="app-place" data-state={app.state} />
      </dialog>
      {app.problem !== undefined && <Problem error={app.problem} retry={() => app.reopen()} />}
      {app.question && <ConsentDialog question={app.question} app={name} />}
      <ForModel app={app} />
      <MessagePanel entries={app.entries} granted={app.granted} />
    </>
  );
}

function AppState({ app }: { readonly app: ShownApp }): JSX.Element | null {
  if (app.state === "opening") return <Badge tone="info">opening</Badge>;
  if (app.state === "stopped") return <Badge tone="bad">stopped</Badge>;
  if (app.state === "failed") return <Badge tone="bad">not shown</Badge>;
  return <Badge title="It runs in a sandbox, on an origin of its own">sandboxed</Badge>;
}

/** There is no model here: what the app wants it to know is shown instead. */
function ForModel({ app }: { readonly app: ShownApp }): JSX.Element | null {
  if (app.messages.length === 0 && app.modelContext === undefined) return null;
  return (
    <details class="app-more" open>
      <summary>For the model</summary>
      <div class="stack-tight app-model">
        {app.messages.map((content, at) => (
          <div key={at} class="app-said">
            <span class="muted small">The app says, in the user's name</span>
            <Blocks blocks={content} />
          </div>
        ))}
        {app.modelContext !== undefined && (
          <div class="app-said">
            <span class="muted small">What the model would be told next time</span>
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
      This tool has an app, but there is no place to run it: apps need an origin of their own. Set{" "}
      <code>http.sandboxUrl</code> in the config, such as <code>https://{"{app}"}.apps.example.com</code>, and restart
      the server.
    </p>
  );
}
