import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Frame, Page } from "playwright-core";

/** Our view in a sandboxed frame, and above it the reference package's own host. */
export interface Stage {
  /** Runs an expression in the host's page: `bridge`, `answers`, and `take(kind)` for the next thing it heard. */
  readonly host: <Value>(expression: string) => Promise<Value>;
  /** The same in the view's page: `view`, `take(kind)`, and `attempt(run)` for the result of a promise. */
  readonly view: <Value>(expression: string) => Promise<Value>;
}

export interface StageOptions {
  /** More members for the options of `connectView`, as source. */
  readonly view?: string;
  readonly style?: string;
  readonly context?: object;
}

export const viewAddress = "http://view.test/";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles both sides once; the function it returns sets the stage anew in the one page. */
export async function prepareStage(page: Page): Promise<(options?: StageOptions) => Promise<Stage>> {
  const hostScript = await bundled(hostSource);
  const viewScript = await bundled(
    'export { connectView } from "./packages/core/src/app/browser/view/index.ts";',
    "biplane",
  );
  await page.route("http://host.test/", (route) =>
    route.fulfill({ contentType: "text/html", body: `<!doctype html><body><script>${hostScript}</script>` }),
  );
  await page.route(viewAddress, (route) => route.fulfill({ contentType: "text/html", body: viewPage(viewScript, {}) }));
  return async (options = {}) => {
    await page.goto("http://host.test/");
    const opened = page.waitForEvent("framenavigated", (frame) => frame.url() === "about:srcdoc");
    const given = { html: viewPage(viewScript, options), context: options.context ?? {} };
    await page.evaluate(`start(${JSON.stringify(given).replaceAll("<", "\\u003c")})`);
    return { host: (expression) => page.evaluate(expression), view: inFrame(await opened) };
  };
}

function inFrame(frame: Frame) {
  return <Value>(expression: string) => frame.evaluate<Value>(expression);
}

async function bundled(contents: string, globalName?: string): Promise<string> {
  const stdin = { contents: queues + contents, resolveDir: root, loader: "js" as const };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    ...(globalName && { globalName }),
  });
  return (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
}

function viewPage(script: string, { view = "", style = "" }: StageOptions): string {
  return `<!doctype html><style>body { margin: 0 } #content { height: 120px } ${style}</style>
    <body><div id="content"></div><script>${script}</script><script>
    const view = biplane.connectView({
      name: "table", version: "1.0.0", title: "Table", displayModes: ["inline", "fullscreen"],
      onPartialInput: (input) => note("partial", input),
      onInput: (input) => note("input", input),
      onResult: (result) => note("result", result),
      onCancelled: (reason) => note("cancelled", reason ?? null),
      onContext: (changed, whole) => note("context", { changed, whole }),
      onTeardown: (reason) => note("teardown", reason ?? null),
      ${view}
    });
    const attempt = async (run) => {
      try { return { value: await run() }; } catch ({ code, message }) { return { code, message }; }
    };
    </script>`;
}

/** In both pages: what was heard waits until a test takes it, or a test waits until it is heard. */
const queues = `
  const heard = {}, waiting = {};
  globalThis.heardInOrder = [];
  globalThis.note = (kind, value) => {
    heardInOrder.push(kind);
    const first = waiting[kind]?.shift();
    if (first) first(value);
    else (heard[kind] ??= []).push(value);
  };
  globalThis.take = async (kind) => heard[kind]?.length
    ? heard[kind].shift()
    : new Promise((resolve) => (waiting[kind] ??= []).push(resolve));
  globalThis.untaken = (kind) => heard[kind]?.length ?? 0;
`;

const hostSource = `
  import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
  const capabilities = {
    openLinks: {}, serverTools: {}, serverResources: {}, logging: {},
    updateModelContext: { text: {}, structuredContent: {} }, message: { text: {} },
  };
  globalThis.answers = {
    oncalltool: ({ name, arguments: input }) => ({ content: [], structuredContent: { name, input } }),
    onreadresource: ({ uri }) => ({ contents: [{ uri, text: "hello" }] }),
    onmessage: () => ({}),
    onopenlink: () => ({}),
    onupdatemodelcontext: () => ({}),
    onrequestdisplaymode: ({ mode }) => ({ mode }),
  };
  globalThis.start = async ({ html, context }) => {
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts");
    document.body.append(frame);
    const bridge = new AppBridge(null, { name: "yardstick", version: "9.9.9" }, capabilities, { hostContext: context });
    globalThis.bridge = bridge;
    bridge.oninitialized = () => note("initialized");
    bridge.onsizechange = (params) => note("size", params);
    bridge.onloggingmessage = (params) => note("log", params);
    for (const name of Object.keys(answers)) {
      bridge[name] = async (params, extra) => {
        note(name, params);
        return answers[name](params, extra);
      };
    }
    addEventListener("message", ({ data }) => data.method && note("wire " + data.method, data));
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.srcdoc = html;
  };
`;
