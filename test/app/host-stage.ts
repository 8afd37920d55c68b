import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import type { Permissions } from "../../packages/core/src/app/browser/bridge/capabilities.ts";
import type { AppToolResult } from "../../packages/core/src/app/browser/bridge/content.ts";
import type { HostContext } from "../../packages/core/src/app/browser/bridge/context.ts";
import type { AppLimits } from "../../packages/core/src/app/browser/host/limits.ts";
import type { LogEntry } from "../../packages/core/src/app/browser/host/message-log.ts";
import type { AppResource } from "../../packages/core/src/app/browser/host/resource-of.ts";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { openChromium } from "../support/chromium.ts";

/** A real browser, a page with our host in it, the sandbox on other origins, and a third origin that counts its visitors. */
export interface Stage extends AsyncDisposable {
  readonly browser: Browser;
  /** The page that shows apps. */
  readonly origin: string;
  readonly sandbox: string;
  /** Another server, which answers everything to everyone and remembers what was asked. */
  readonly elsewhere: string;
  readonly visits: string[];
  newPage(): Promise<Page>;
  /** The page as it was at first, and no visits. */
  clear(page: Page): Promise<void>;
}

interface StageOptions {
  readonly address?: (port: number) => string;
  /** One that is open already, and stays so. */
  readonly browser?: Browser;
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const script = await bundle("packages/core/src/app/browser/host/index.ts");
  const visits: string[] = [];
  const elsewhere = await listen((request) => {
    visits.push(`${request.method} ${request.url}`);
    const isScript = request.url?.endsWith(".js");
    return {
      headers: { "content-type": isScript ? "text/javascript" : "text/html", "access-control-allow-origin": "*" },
      body: isScript ? "globalThis.loadedFromElsewhere = true" : foreignPage,
    };
  });
  const handler: { current?: ReturnType<typeof sandboxEndpoint> } = {};
  const gateway = await listen((request) => {
    const host = request.headers.host ?? "";
    if (handler.current?.owns(host)) {
      const { status, headers, bytes } = handler.current.handle({
        method: request.method ?? "",
        host,
        url: request.url ?? "",
      });
      return { status, headers, body: bytes };
    }
    if (request.url === "/host.js") return { headers: { "content-type": "text/javascript" }, body: script };
    if (request.url !== "/" && request.url !== "/favicon.ico") visits.push(`gateway ${request.method} ${request.url}`);
    return { headers: { "content-type": "text/html", "set-cookie": "person=secret" }, body: hostPage };
  });
  const origin = `http://127.0.0.1:${gateway.port}`;
  const sandbox = (options.address ?? ((port) => `http://{app}.localhost:${port}`))(gateway.port);
  handler.current = sandboxEndpoint({ address: sandbox, hosts: [origin] });
  const browser = options.browser ?? (await openChromium());
  return {
    browser,
    origin,
    sandbox,
    elsewhere: `http://127.0.0.1:${elsewhere.port}`,
    visits,
    newPage: () => browser.newPage(),
    clear: async (page) => {
      await page.goto(origin);
      visits.length = 0;
    },
    [Symbol.asyncDispose]: async () => {
      if (!options.browser) await browser.close();
      await Promise.all([gateway.close(), elsewhere.close()]);
    },
  };
}

/** What a test may say of an app; the rest is as in any page. */
export interface Show {
  readonly html: string;
  readonly sandbox?: string;
  readonly context?: HostContext;
  readonly permissions?: readonly (keyof Permissions)[];
  readonly limits?: Partial<AppLimits>;
  readonly confirmTools?: boolean;
  readonly resource?: Partial<AppResource>;
  readonly serverId?: string;
  /** What a person answers when asked; null is a person who is not there. */
  readonly consent?: boolean | null;
  readonly agreesToModes?: boolean;
  /** The server is `remoteServer` in the page, a function that the test exposed there. */
  readonly isRemote?: boolean;
}

/** An app on the stage, with what it sent to the page. */
export interface Shown {
  /** The window of the app itself. */
  readonly view: Frame;
  readonly proxy: Frame;
  /** Of everything that happened to the page, what is of this kind. */
  told(kind: string): Promise<unknown[]>;
  remarks(): Promise<string[]>;
  /** The messages of this method, from either side. */
  logged(method: string): Promise<unknown[]>;
  waitFor(kind: string): Promise<unknown>;
}

export async function show(page: Page, stage: Stage, options: Show): Promise<Shown> {
  await open(page, stage, options);
  const outer = await page.waitForSelector("iframe");
  const proxy = (await outer.contentFrame()) as Frame;
  const inner = await proxy.waitForSelector("iframe");
  const view = (await inner.contentFrame()) as Frame;
  await view.waitForLoadState();
  // An app that may frame others is written into a page that has loaded before it.
  if (options.html.includes(clientScript)) await view.waitForFunction("globalThis.client");
  return {
    view,
    proxy,
    told: (kind) =>
      page.evaluate(
        (kind) =>
          stageState()
            .told.filter((each) => each.kind === kind)
            .map(({ value }) => value),
        kind,
      ),
    logged: (method) =>
      page.evaluate(
        (method) => stageState().frame.log.flatMap((entry) => (entry.method === method ? [entry.message] : [])),
        method,
      ),
    remarks: () => page.evaluate(() => stageState().frame.log.flatMap(({ remark }) => remark ?? [])),
    waitFor: async (kind) => {
      await page.waitForFunction((kind) => stageState().told.some((each) => each.kind === kind), kind);
      return page.evaluate((kind) => stageState().told.findLast((each) => each.kind === kind)?.value, kind);
    },
  };
}

/** Opens an app without waiting for its window: some never have one. */
export async function open(page: Page, stage: Stage, options: Show): Promise<void> {
  const resource = { uri: "ui://test", sameOrigin: false, ...options.resource, html: options.html };
  await page.evaluate((given) => globalThis.showApp(given), { sandbox: stage.sandbox, ...options, resource });
}

/** `AppFrame`, as far as tests use it: they are compiled without the types of a browser. */
export interface ShownFrame {
  readonly element: { readonly offsetWidth: number; readonly offsetHeight: number };
  readonly log: readonly LogEntry[];
  readonly granted: unknown;
  readonly isClosed: boolean;
  partialInput(input: object): void;
  input(input: object): void;
  result(result: AppToolResult): void;
  cancelled(reason?: string): void;
  context(changed: HostContext): void;
  toolsChanged(): void;
  resourcesChanged(): void;
  ping(options?: { patienceMs?: number }): Promise<boolean>;
  teardown(reason?: string, options?: { patienceMs?: number }): Promise<void>;
}

interface StageState {
  frame: ShownFrame;
  told: { kind: string; value: unknown }[];
  /** What the person says who was not there. */
  answer: (isAgreed: boolean) => void;
}

/** An answer as the app gets it. */
export interface Reply {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string };
}

interface ViewClient {
  ask(method: string, params: object): Promise<Reply>;
  start(more?: object): Promise<Reply>;
  tell(method: string, params: object): void;
  post(message: unknown): void;
  hearing(method: string): Promise<{ params: Record<string, unknown> }>;
  readonly heard: (Reply & { method?: string; params?: Record<string, unknown> })[];
  isPolite: boolean;
}

// What `hostPage` and `clientScript` put into their windows.
declare global {
  function showApp(given: object): Promise<void>;
  function stageState(): StageState;
  var client: ViewClient;
}

/** The smallest of all clients, as `client` in the app's window, so that a test can send whatever it likes. */
const clientScript = `<script>
globalThis.client = (() => {
  const heard = [];
  const waiting = new Map();
  let ids = 0;
  const post = (message) => parent.postMessage(message, "*");
  const tell = (method, params) => post({ jsonrpc: "2.0", method, params });
  const ask = (method, params) => new Promise((resolve) => {
    const id = ++ids;
    waiting.set(id, resolve);
    post({ jsonrpc: "2.0", id, method, params });
  });
  const hearing = async (method) => {
    for (;;) {
      const found = heard.find((message) => message.method === method);
      if (found) return found;
      await new Promise((resolve) => addEventListener("message", () => setTimeout(resolve), { once: true }));
    }
  };
  const start = async (more = {}) => {
    const answer = await ask("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: "test", version: "1" },
      appCapabilities: {},
      ...more,
    });
    tell("ui/notifications/initialized", {});
    return answer;
  };
  addEventListener("message", ({ data }) => {
    heard.push(data);
    if (data.method === undefined) waiting.get(data.id)?.(data);
    else if (data.id !== undefined && client.isPolite) post({ jsonrpc: "2.0", id: data.id, result: {} });
  });
  return { heard, post, tell, ask, hearing, start, isPolite: true };
})();
</script>`;

export const plainApp = `<!doctype html><title>An app</title>${clientScript}<p id="out">here</p>`;

/** Bundles browser code from the source, as a page would load it. */
async function bundle(file: string): Promise<string> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: `export * from "./${file}"`, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "biplane",
    target: "es2022",
    conditions: ["biplane-source"],
  });
  return outputFiles[0]?.text ?? "";
}

const foreignPage = `<!doctype html><title>Elsewhere</title><script>
parent.postMessage({ jsonrpc: "2.0", id: 900, method: "ui/message", params: { role: "user", content: [{ type: "text", text: "from elsewhere" }] } }, "*");
parent.parent.postMessage({ jsonrpc: "2.0", id: 901, method: "ui/message", params: { role: "user", content: [{ type: "text", text: "from elsewhere" }] } }, "*");
</script>`;

const hostPage = `<!doctype html><title>Host</title><div id="apps" style="width: 600px"></div><script src="/host.js"></script><script>
localStorage.setItem("person", "secret");
const state = { told: [] };
globalThis.stageState = () => state;
globalThis.showApp = async ({ consent, serverId, agreesToModes, isRemote, ...options }) => {
  const note = (kind) => (value) => void state.told.push({ kind, value });
  const server = {
    id: serverId ?? "test",
    listTools: async () => [
      { name: "echo", annotations: { readOnlyHint: true } },
      { name: "write" },
      { name: "slow", _meta: { ui: { visibility: ["app"] } } },
      { name: "for-the-model", _meta: { ui: { visibility: ["model"] } } },
      { name: "odd", _meta: { ui: { visibility: "app" } } },
      { name: "fails", annotations: { readOnlyHint: true } },
    ],
    callTool: async (name, input, { signal }) => {
      note("call")({ name, input });
      if (name === "fails") throw new Error("the server is away");
      if (name === "slow") await new Promise((resolve, reject) => signal.addEventListener("abort", () => { note("aborted")(name); reject(signal.reason); }));
      return { content: [{ type: "text", text: JSON.stringify(input) }], structuredContent: input };
    },
    readResource: async (uri) => ({ contents: [{ uri, text: "the text of " + uri }] }),
  };
  // A server elsewhere, which the test put into the page.
  const remote = {
    id: serverId,
    listTools: () => remoteServer("listTools", []),
    callTool: (name, input) => { note("call")({ name, input }); return remoteServer("callTool", [name, input]); },
    readResource: (uri) => remoteServer("readResource", [uri]),
  };
  const asked = async (request) => { note("consent")(request); return consent ?? new Promise((resolve) => (state.answer = resolve)); };
  state.frame = undefined;
  const opening = biplane.openApp({
    container: document.getElementById("apps"),
    hostInfo: { name: "stage", version: "1.0.0" },
    server: isRemote ? remote : server,
    ...(consent !== undefined && { consent: asked }),
    openLink: note("opened"),
    onMessage: note("message"),
    onModelContext: note("model context"),
    onSize: note("size"),
    onDisplayMode: async (mode) => { note("mode")(mode); return agreesToModes === true; },
    onTeardown: () => note("teardown")(null),
    onStopped: note("stopped"),
    onReady: () => note("ready")(null),
    ...options,
  });
  state.frame = await opening;
};
</script>`;

interface Served {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

async function listen(answer: (request: IncomingMessage) => Served): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { status = 200, headers, body } = answer(request);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}
