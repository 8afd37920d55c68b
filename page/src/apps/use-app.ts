import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { DisplayMode } from "../../../src/app/browser/bridge/capabilities.ts";
import { openApp, resourceOf } from "../../../src/app/browser/host/index.ts";
import type { AppFrame as HostFrame, ConsentRequest, Granted, LogEntry } from "../../../src/app/browser/host/index.ts";
import type { ShownResource } from "../../../src/desk/contract.ts";
import type { JsonObject } from "../../../src/tool/schema.ts";
import { ask } from "../api.ts";
import { house } from "../house.ts";
import { theme } from "../theme.ts";
import type { AppFrameProps } from "./app-frame.tsx";
import { appServer, toolInfo } from "./app-server.ts";
import { looksOf, surroundings } from "./looks.ts";
import { oncePerFrame } from "./once-per-frame.ts";
import { retire } from "./retire.ts";

/** A question of an app that a person has to answer. */
export interface Question {
  readonly request: ConsentRequest;
  answer(isAgreed: boolean): void;
}

/** What the page knows of an app that it shows. */
export interface ShownApp {
  readonly state: "opening" | "ready" | "stopped" | "failed";
  readonly problem: unknown;
  /** What it calls itself. */
  readonly name: string | undefined;
  readonly mode: DisplayMode;
  /** Whether it is made to fill the window. */
  readonly canFill: boolean;
  show(mode: DisplayMode): void;
  reopen(): void;
  readonly question: Question | undefined;
  readonly entries: readonly LogEntry[];
  readonly granted: Granted | undefined;
  readonly messages: readonly (readonly JsonObject[])[];
  readonly modelContext: readonly JsonObject[] | undefined;
}

/** Opens an app in `container` for as long as the component is there; `stage` is what is made modal to fill the window. */
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
  // Whoever has left the full screen is not to be brought back there, however often the app asks.
  const mayFill = useRef(true);
  const [question, setQuestion] = useState<Question>();
  const [said, setSaid] = useState<Pick<ShownApp, "messages" | "modelContext">>(silent);
  const [turn, reopen] = useReducer((last: number) => last + 1, 0);
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  // The same call read again is no reason to begin anew.
  const story = useMemo(() => JSON.stringify([input, result]), [input, result]);

  /** Puts the stage where it belongs; false where it is there already. */
  const place = useCallback((wanted: DisplayMode): boolean => {
    if (wanted === modeNow.current || !stage.current) return false;
    modeNow.current = wanted;
    if (wanted === "fullscreen") stage.current.showModal();
    else stage.current.close();
    setMode(wanted);
    return true;
  }, []);

  // A layout effect: it is over before its elements go, so that the app can still be asked to leave.
  useLayoutEffect(() => {
    const abort = new AbortController();
    const drawn = oncePerFrame(() => setEntries([...(frame.current?.log ?? [])]));
    let open: Question | undefined;
    // While it takes its leave, another may stand in its place: what it still wants is not that one's.
    const whileShown =
      <Given extends readonly unknown[]>(act: (...given: Given) => void) =>
      (...given: Given): void => {
        if (!abort.signal.aborted) act(...given);
      };
    const begin = async (): Promise<void> => {
      const query = { server, uri, episode };
      const read = await ask<ShownResource>("GET /api/resource", { query, signal: abort.signal });
      const room = container.current;
      if (!room || abort.signal.aborted) return;
      const opened = await openApp({
        container: room,
        sandbox,
        resource: resourceOf(read),
        tool: { tool: toolInfo(tool) },
        hostInfo: { name: "biplane-page", title: "Biplane", version: house.peek()?.version ?? "0" },
        context: { ...surroundings(), ...looksOf(room) },
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
          setSaid((last) => ({ ...last, messages: [...last.messages, content as unknown as JsonObject[]].slice(-20) })),
        ),
        onModelContext: whileShown((context) => setSaid((last) => ({ ...last, modelContext: blocksOf(context) }))),
        onDisplayMode: (wanted) => {
          const mayBe = wanted === "inline" || (mayFill.current && navigator.userActivation.isActive);
          return mayBe && !abort.signal.aborted && place(wanted);
        },
        onTeardown: whileShown(
          () => void frame.current?.teardown("asked for").then(() => setState(stopped("The app asked to be closed."))),
        ),
        onStopped: whileShown((reason) => {
          place("inline");
          setState(stopped(`The app was stopped: ${reason}.`));
        }),
        onReady: whileShown(() => setState({ state: "ready", problem: undefined })),
        onLog: () => drawn.ask(),
      });
      if (abort.signal.aborted) return opened.teardown();
      frame.current = opened;
      // The colours may be others by now.
      opened.context(looksOf(room));
      opened.input(typeof input === "object" && input !== null ? (input as JsonObject) : {});
      if (result) opened.result(result as unknown as Parameters<HostFrame["result"]>[0]);
      else opened.cancelled("there is no result");
    };
    setState(opening);
    setSaid(silent);
    setEntries([]);
    begin().catch((problem: unknown) => {
      if (!abort.signal.aborted) setState({ state: "failed", problem });
    });
    return () => {
      open?.answer(false);
      drawn.cancel();
      place("inline");
      if (container.current) retire(container.current);
      void frame.current?.teardown("closed");
      frame.current = null;
      abort.abort();
    };
  }, [server, uri, episode, sandbox, story, turn]);

  useLooks(container, frame);
  const show = useCallback((wanted: DisplayMode) => {
    const { current } = frame;
    if (!place(wanted)) return;
    mayFill.current = wanted !== "inline";
    if (current && !current.isOver) current.context({ displayMode: wanted, containerDimensions: roomFor(wanted) });
  }, []);
  const app = frame.current?.app;
  return {
    ...state,
    ...said,
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
const silent = { messages: [], modelContext: undefined };

function stopped(problem: string): Pick<ShownApp, "state" | "problem"> {
  return { state: "stopped", problem };
}

/** In the page an app is as high as it says, within bounds; full, it is as large as the window. */
function roomFor(mode: DisplayMode): { maxHeight?: number } {
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

/** Tells the app when the page changes its colours. */
function useLooks(container: RefObject<HTMLElement | null>, frame: RefObject<HostFrame | null>): void {
  const chosen = theme.value;
  useEffect(() => {
    const tell = () => {
      const { current } = frame;
      if (current && !current.isOver && container.current) current.context(looksOf(container.current));
    };
    tell();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", tell);
    return () => dark.removeEventListener("change", tell);
  }, [chosen]);
}
