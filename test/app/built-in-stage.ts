import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import type { Client } from "../../packages/core/src/client/client.ts";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { openChromium } from "../support/chromium.ts";

/** A browser in which an app is shown for a call of a real server, in our host or in the official one. */
export interface Stage extends AsyncDisposable {
  readonly browser: Browser;
  show(client: Client, call: ShownCall): Promise<Shown>;
}

export interface ShownCall {
  readonly tool: string;
  readonly input?: Record<string, unknown>;
  readonly host?: "ours" | "official";
  readonly theme?: "light" | "dark";
  readonly width?: number;
}

export interface Shown extends AsyncDisposable {
  readonly page: Page;
  /** The window of the app itself. */
  readonly view: Frame;
  /** Model contexts, opened links and messages, as the host received them. */
  readonly contexts: string[];
  readonly links: string[];
  readonly messages: string[];
  /** Every tool that the app called, with its input. */
  readonly calls: { name: string; input: unknown }[];
  /** All that ever reached the app's window, as JSON. */
  heard(): Promise<string[]>;
  /** Asks the host for an answer past the app: whatever the app had sent before is with the host by then. */
  ask(method: string, params?: object): Promise<unknown>;
  /** What axe finds fault with, if anything. */
  barriers(): Promise<string[]>;
}

export async function openStage(): Promise<Stage> {
  const [ours, official] = await Promise.all([bundle(oursScript), bundle(officialScript)]);
  const server = createServer((request, response) => {
    const host = request.headers.host ?? "";
    if (handler.owns(host)) {
      const { status, headers, bytes } = handler.handle({ method: request.method ?? "", host, url: request.url ?? "" });
      response.writeHead(status, headers).end(bytes);
    } else if (request.url?.endsWith(".js")) {
      const script = request.url === "/ours.js" ? ours : official;
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    } else {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(hostPage(request.url === "/ours" ? "ours" : "official"));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const sandbox = `http://{app}.localhost:${port}`;
  const handler = sandboxEndpoint({ address: sandbox, hosts: [origin] });
  const browser = await openChromium();
  return {
    browser,
    show: (client, call) => show({ browser, origin, sandbox }, client, call),
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Place {
  readonly browser: Browser;
  readonly origin: string;
  readonly sandbox: string;
}

async function show({ browser, origin, sandbox }: Place, client: Client, call: ShownCall): Promise<Shown> {
  const { tool: name, input = {}, host = "ours", theme = "light", width = 480 } = call;
  const tool = (await client.listTools()).find((each) => each.name === name);
  const uri = (tool?.["_meta"] as { ui?: { resourceUri?: string } } | undefined)?.ui?.resourceUri;
  if (!tool || uri === undefined) throw new Error(`${name} has no app`);
  const page = await browser.newPage({ viewport: { width, height: 760 } });
  const told = { contexts: [] as string[], links: [] as string[], messages: [] as string[] };
  const calls: Shown["calls"] = [];
  await page.exposeFunction("tell", (kind: keyof typeof told, text: string) => void told[kind].push(text));
  await page.exposeFunction("askServer", async (method: string, params: Record<string, unknown>) => {
    if (method === "tools/list") return client.listTools();
    if (method === "resources/read") return client.readResource(String(params["uri"]));
    calls.push({ name: String(params["name"]), input: params["arguments"] });
    return client.callTool(String(params["name"]), params["arguments"] as Record<string, unknown>);
  });
  await page.goto(`${origin}/${host}`);
  await page.waitForFunction("globalThis.show !== undefined");
  const result = await client.callTool(name, input);
  const resource = tapped(await client.readResource(uri));
  await page.evaluate((given) => (globalThis as unknown as { show: (given: object) => Promise<void> }).show(given), {
    sandbox,
    tool,
    input,
    result,
    resource,
    theme,
  });
  const outer = (await (await page.waitForSelector("iframe")).contentFrame()) as Frame;
  const view = host === "official" ? outer : ((await (await outer.waitForSelector("iframe")).contentFrame()) as Frame);
  return {
    page,
    view,
    calls,
    ...told,
    heard: () => view.evaluate(() => (globalThis as unknown as { heard: string[] }).heard),
    ask: (method, params = {}) => view.evaluate(askDirectly, { method, params }),
    barriers: async () => {
      await view.addScriptTag({ path: axePath });
      const { violations } = (await view.evaluate("axe.run()")) as { violations: { id: string; nodes: object[] }[] };
      return violations.map(({ id, nodes }) => `${id} ${JSON.stringify(nodes).slice(0, 500)}`);
    },
    [Symbol.asyncDispose]: () => page.close(),
  };
}

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The page with one more script, before all others, that writes down what the page is sent. */
function tapped(read: Awaited<ReturnType<Client["readResource"]>>): { contents: object[] } {
  const tap = `<script>globalThis.heard = []; addEventListener("message", ({ data }) => heard.push(JSON.stringify(data)))</script>`;
  const contents = read.contents as readonly { text?: string }[];
  return { contents: contents.map((each) => ({ ...each, text: each.text?.replace("<head>", `<head>${tap}`) })) };
}

/** Runs in the app's window: a script that got in there could do as much. */
function askDirectly(message: { method: string; params: object }): Promise<unknown> {
  const scope = globalThis as unknown as EventTarget & { parent: { postMessage(message: object, to: string): void } };
  const id = `direct ${Math.random()}`;
  return new Promise((resolve) => {
    scope.addEventListener("message", (event) => {
      const { data } = event as Event & { data: { id?: unknown } };
      if (data.id === id) resolve(data);
    });
    scope.parent.postMessage({ jsonrpc: "2.0", id, ...message }, "*");
  });
}

/** The same few lines around either host. */
const shared = `
const callTool = (name, input) => askServer("tools/call", { name, arguments: input });
const hostInfo = { name: "stage", version: "1.0.0" };
const textOf = (content) => (content ?? []).map(({ text }) => text).join("\\n");
`;

const oursScript = `
import { openApp, resourceOf } from "./packages/core/src/app/browser/host/index.ts";
${shared}
globalThis.show = async ({ sandbox, tool, input, result, resource, theme }) => {
  const frame = await openApp({
    container: document.querySelector("main"), sandbox, resource: resourceOf(resource), tool: { tool }, hostInfo,
    context: { theme }, permissions: ["clipboardWrite"],
    server: {
      id: "stage", callTool,
      listTools: () => askServer("tools/list", {}),
      readResource: (uri) => askServer("resources/read", { uri }),
    },
    consent: () => true,
    openLink: (url) => tell("links", url),
    onMessage: ({ content }) => tell("messages", textOf(content)),
    onModelContext: ({ content }) => tell("contexts", textOf(content)),
  });
  frame.input(input);
  frame.result(result);
};
`;

const officialScript = `
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
${shared}
globalThis.show = async ({ tool, input, result, resource, theme }) => {
  const iframe = document.querySelector("main").appendChild(document.createElement("iframe"));
  iframe.setAttribute("sandbox", "allow-scripts");
  iframe.style.cssText = "width:100%;border:0";
  const capabilities = {
    openLinks: {}, serverTools: {}, serverResources: {}, logging: {},
    updateModelContext: { text: {} }, message: { text: {} },
  };
  const bridge = new AppBridge(null, hostInfo, capabilities, { hostContext: { theme, toolInfo: { tool } } });
  bridge.oncalltool = ({ name, arguments: input }) => callTool(name, input);
  bridge.onreadresource = ({ uri }) => askServer("resources/read", { uri });
  bridge.onopenlink = async ({ url }) => (await tell("links", url), {});
  bridge.onmessage = async ({ content }) => (await tell("messages", textOf(content)), {});
  bridge.onupdatemodelcontext = async ({ content }) => (await tell("contexts", textOf(content)), {});
  bridge.onsizechange = ({ height }) => { if (height !== undefined) iframe.style.height = height + "px"; };
  const ready = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(iframe.contentWindow, iframe.contentWindow));
  iframe.srcdoc = resource.contents[0].text;
  await ready;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
};
`;

function hostPage(host: "ours" | "official"): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stage</title>
<style>body{margin:0}</style></head><body><main></main><script type="module" src="/${host}.js"></script></body></html>`;
}

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL("../..", import.meta.url)), loader: "js" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
