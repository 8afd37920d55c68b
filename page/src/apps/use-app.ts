import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { DisplayMode } from "../../../packages/core/src/app/browser/bridge/capabilities.ts";
import { openApp, resourceOf } from "../../../packages/core/src/app/browser/host/index.ts";
import type {
  AppFrame as HostFrame,
  ConsentRequest,
  SandboxGrant,
  LogEntry,
} from "../../../packages/core/src/app/browser/host/index.ts";
import type { JsonObject } from "../../../packages/core/src/tool/schema.ts";
import { callApi } from "../api.ts";
import { serverOverview } from "../server-overview.ts";
import { theme } from "../theme.ts";
import type { AppFrameProps } from "./app-frame.tsx";
import { appServer, toolInfo } from "./app-server.ts";
import { styleContext, staticContext } from "./host-context.ts";
import { oncePerFrame } from "./once-per-frame.ts";
import { retire } from "./retire.ts";

/** A request of an app that needs the user's consent. */
export interface Question {
  readonly request: ConsentRequest;
  answer(isAgreed: boolean): void;
}

/** The state of an app on the page. */
export interface ShownApp {
  readonly state: "opening" | "ready" | "stopped" | "failed";
  readonly problem: unknown;
  /** The name that the app reports. */
  readonly name: string | undefined;
  readonly mode: DisplayMode;
  /** The app supports full screen. */
  readonly canFill: boolean;
  show(mode: DisplayMode): void;
  reopen(): void;
  readonly question: Question | undefined;
  readonly entries: readonly LogEntry[];
  readonly granted: SandboxGrant | undefined;
  readonly messages: readonly (readonly JsonObject[])[];
  readonly modelContext: readonly JsonObject[] | undefined;
}

/** Opens an app in `container` until the component unmounts. `stage` becomes modal for full screen. */
export function useApp(
  stage: RefObject<HTMLDialogElement | null>,
  container: RefObject<HTMLElement | null>,
  props: AppFrameProps & { readonly sandbox: string },
): ShownApp {
  const { server, uri, tool, input, result, episode, sandbox } = props;
  const latest = useRef(props);
  latest.current = props;
  const frame = useRef<HostFrame>(null);
  const [state, setState] = useState<Pick<ShownApp, "state" | "problem">>(opening);
  const [mode, setMode] = useState<DisplayMode>("inline");
  const modeNow = useRef<DisplayMode>("inline");
  // After the user leaves full screen, the app cannot enter it again.
  const mayFill = useRef(true);
  const [question, setQuestion] = useState<Question>();
  const [output, setOutput] = useState<Pick<ShownApp, "messages" | "modelContext">>(noOutput);
  const [turn, reopen] = useReducer((last: number) => last + 1, 0);
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  // Reloading the same call must not restart the app.
  const callKey = useMemo(() => JSON.stringify([input, result]), [input, result]);

  /** Applies a display mode. Returns false if it is already active. */
  const applyMode = useCallback((wanted: DisplayMode): boolean => {
    if (wanted === modeNow.current || !stage.current) return false;
    modeNow.current = wanted;
    if (wanted === "fullscreen") stage.current.showModal();
    else stage.current.close();
    setMode(wanted);
    return true;
  }, []);

  // A layout effect cleans up before its elements are removed, so the app can still handle teardown.
  useLayoutEffect(() => {
    const abort = new AbortController();
    const drawn = oncePerFrame(() => setEntries([...(frame.current?.log ?? [])]));
    let open: Question | undefined;
    // During teardown another app may already occupy the container. Ignore late callbacks of this one.
    const whileShown =
      <Given extends readonly unknown[]>(act: (...given: Given) => void) =>
      (...given: Given): void => {
        if (!abort.signal.aborted) act(...given);
      };
    const start = async (): Promise<void> => {
      const query = { server, uri, episode };
      const read = await callApi("GET /api/resource", { query, signal: abort.signal });
      const element = container.current;
      if (!element || abort.signal.aborted) return;
      const opened = await openApp({
        container: element,
        sandbox,
        resource: resourceOf(read),
        tool: { tool: toolInfo(tool) },
        hostInfo: { name: "biplane-page", title: "Biplane", version: serverOverview.peek()?.version ?? "0" },
        context: { ...staticContext(), ...styleContext(element) },
        permissions: ["clipboardWrite"],
        signal: abort.signal,
        server: appServer({
          server,
          app: uri,
          episode,
          onCall: (name, answer) => latest.current.onCall?.(name, answer),
        }),
        consent: (request) =>
          new Promise((resolve) => {
            if (abort.signal.aborted) return resolve(false);
            open = { request, answer: (isAgreed) => (setQuestion(undefined), resolve(isAgreed)) };
            setQuestion(open);
          }),
        onMessage: whileShown(({ content }) =>
          setOutput((last) => ({
            ...last,
            messages: [...last.messages, content as unknown as JsonObject[]].slice(-20),
          })),
        ),
        onModelContext: whileShown((context) => setOutput((last) => ({ ...last, modelContext: blocksOf(context) }))),
        onDisplayMode: (wanted) => {
          const mayBe = wanted === "inline" || (mayFill.current && navigator.userActivation.isActive);
          return mayBe && !abort.signal.aborted && applyMode(wanted);
        },
        onTeardown: whileShown(
          () => void frame.current?.teardown("asked for").then(() => setState(stopped("The app closed itself."))),
        ),
        onStopped: whileShown((reason) => {
          applyMode("inline");
          setState(stopped(`The app was stopped: ${reason}.`));
        }),
        onReady: whileShown(() => setState({ state: "ready", problem: undefined })),
        onLog: () => drawn.schedule(),
      });
      if (abort.signal.aborted) return opened.teardown();
      frame.current = opened;
      // The theme may have changed while the app loaded.
      opened.context(styleContext(element));
      opened.input(typeof input === "object" && input !== null ? (input as JsonObject) : {});
      if (result) opened.result(result as unknown as Parameters<HostFrame["result"]>[0]);
      else opened.cancelled("there is no result");
    };
    setState(opening);
    setOutput(noOutput);
    setEntries([]);
    start().catch((problem: unknown) => {
      if (!abort.signal.aborted) setState({ state: "failed", problem });
    });
    return () => {
      open?.answer(false);
      drawn.cancel();
      applyMode("inline");
      if (container.current) retire(container.current);
      void frame.current?.teardown("closed");
      frame.current = null;
      abort.abort();
    };
  }, [server, uri, episode, sandbox, callKey, turn]);

  useThemeUpdates(container, frame);
  const show = useCallback((wanted: DisplayMode) => {
    const { current } = frame;
    if (!applyMode(wanted)) return;
    mayFill.current = wanted !== "inline";
    if (current && !current.isClosed)
      current.context({ displayMode: wanted, containerDimensions: dimensionsFor(wanted) });
  }, []);
  const app = frame.current?.app;
  return {
    ...state,
    ...output,
    name: app?.appInfo.title ?? app?.appInfo.name,
    mode,
    canFill: app?.appCapabilities.availableDisplayModes?.includes("fullscreen") === true && state.state === "ready",
    show,
    reopen: () => reopen(undefined),
    question,
    entries,
    granted: frame.current?.granted,
  };
}

const opening = { state: "opening", problem: undefined } as const;
const noOutput = { messages: [], modelContext: undefined };

function stopped(problem: string): Pick<ShownApp, "state" | "problem"> {
  return { state: "stopped", problem };
}

/** Inline apps choose their height up to a limit. Full-screen apps have no limit. */
function dimensionsFor(mode: DisplayMode): { maxHeight?: number } {
  return mode === "inline" ? { maxHeight: 900 } : {};
}

function blocksOf(context: {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}): readonly JsonObject[] {
  const content = (context.content ?? []) as readonly JsonObject[];
  const { structuredContent } = context;
  if (structuredContent === undefined) return content;
  return [...content, { type: "text", text: JSON.stringify(structuredContent, undefined, 2) }];
}

/** Sends the theme to the app when it changes. */
function useThemeUpdates(container: RefObject<HTMLElement | null>, frame: RefObject<HostFrame | null>): void {
  const chosen = theme.value;
  useEffect(() => {
    const send = () => {
      const { current } = frame;
      if (current && !current.isClosed && container.current) current.context(styleContext(container.current));
    };
    send();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", send);
    return () => dark.removeEventListener("change", send);
  }, [chosen]);
}
