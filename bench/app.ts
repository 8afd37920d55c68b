// Our app view and host compared with the official ones: npm run bench:app
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { contentSecurityPolicy } from "../packages/core/src/app/sandbox/headers.ts";
import { sandboxEndpoint } from "../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { launchChromium } from "../test/support/chromium.ts";

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 7 : 21;

// The same page for both: it shows the tool's result and reports when it has been painted.
const paint = `(text, say) => {
  document.body.textContent = text;
  requestAnimationFrame(() => setTimeout(() => say("painted")));
}`;
const ourView = `import { connectView } from "./packages/core/src/app/browser/view/index.ts";
const view = connectView({ name: "bench", version: "1.0.0", onResult: (result) => (${paint})(result.content[0].text, (data) => view.log("info", data)) });`;
const theirView = `import { App } from "@modelcontextprotocol/ext-apps";
const app = new App({ name: "bench", version: "1.0.0" });
app.ontoolresult = (result) => (${paint})(result.content[0].text, (data) => app.sendLog({ level: "info", data }));
app.connect();`;
const ourHost = `import { openApp } from "./packages/core/src/app/browser/host/index.ts";
globalThis.showOurs = (html, sandbox, result) => new Promise(async (resolve, reject) => {
  const start = performance.now();
  const frame = await openApp({
    container: document.body, sandbox, hostInfo: { name: "bench", version: "1.0.0" },
    server: { id: "bench" }, resource: { uri: "ui://bench", html, sameOrigin: false },
    onStopped: reject,
    onLog: ({ method }) => {
      if (method !== "notifications/message") return;
      const elapsed = performance.now() - start;
      frame.teardown("done", { patienceMs: 0 }).then(() => resolve(elapsed));
    },
  });
  frame.input({});
  frame.result(result);
});`;
const theirHost = `import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
globalThis.showTheirs = (html, sandbox, result) => new Promise(async (resolve) => {
  const start = performance.now();
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-same-origin allow-forms";
  Object.assign(frame.style, { border: "0", display: "block", width: "100%" });
  frame.src = sandbox;
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: "bench", version: "1.0.0" }, { logging: {} }, { hostContext: { displayMode: "inline" } });
  bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html, sandbox: "allow-scripts" });
  bridge.onsizechange = ({ height }) => { if (height !== undefined) frame.style.height = height + "px"; };
  bridge.oninitialized = async () => {
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(result);
  };
  bridge.onloggingmessage = async () => {
    const elapsed = performance.now() - start;
    await bridge.close();
    frame.remove();
    resolve(elapsed);
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
});`;
/** A minimal double-iframe proxy. */
const plainProxy = `<!doctype html><style>html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; display: block }</style><script>
let inner;
addEventListener("message", ({ source, data }) => {
  if (source === parent) {
    if (data.method !== "ui/notifications/sandbox-resource-ready") return inner?.contentWindow.postMessage(data, "*");
    inner = document.createElement("iframe");
    inner.setAttribute("sandbox", data.params.sandbox);
    inner.srcdoc = data.params.html;
    document.body.append(inner);
  } else if (source === inner?.contentWindow) parent.postMessage(data, "*");
});
addEventListener("DOMContentLoaded", () => parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*"));
</script><body></body>`;

const [ours, theirs] = [await bundled(ourView), await bundled(theirView)];
const [ourZip, theirZip] = [gzipSync(ours, { level: 9 }).length, gzipSync(theirs, { level: 9 }).length];
console.log(`a page with our client: ${ours.length} bytes, ${ourZip} gzipped`);
console.log(`a page with the official one: ${theirs.length} bytes, ${theirZip} gzipped`);

const gateway = await listen(await bundled(`${ourHost}\n${theirHost}`));
const browser = await launchChromium();
const page = await browser.newPage();
await page.goto(gateway.origin);
const contenders: Record<string, () => Promise<number>> = {
  "our host, our client": () => show("showOurs", ours, gateway.sandbox),
  "AppBridge, our client": () => show("showTheirs", ours, gateway.plain),
  "our host, official client": () => show("showOurs", theirs, gateway.sandbox),
  "AppBridge, official client": () => show("showTheirs", theirs, gateway.plain),
};
const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]));
for (let round = -2; round < rounds; round++) {
  // Alternate the order, because the first in a round may pay for earlier garbage.
  const order = Object.entries(contenders);
  order.push(...order.splice(0, (round + 2) % order.length));
  for (const [name, run] of order) {
    const ms = await run();
    if (round >= 0) times[name]?.push(ms);
  }
}
await browser.close();
gateway.close();
const medians = Object.fromEntries(Object.entries(times).map(([name, each]) => [name, median(each)]));
for (const [name, ms] of Object.entries(medians)) console.log(`${name}: ${ms.toFixed(1)} ms from result to paint`);

const [us, bridgeOurs, usOfficial, official] = Object.values(medians) as [number, number, number, number];
const ratios: Record<string, number> = {
  view_bytes_vs_official: round(ours.length / theirs.length),
  view_gzip_vs_official: round(ourZip / theirZip),
  paint_vs_app_bridge: round(us / bridgeOurs),
  paint_official_view_vs_app_bridge: round(usOfficial / official),
  paint_whole_vs_official: round(us / official),
};
const bounds: Record<string, string> = {
  view_gzip_vs_official: "<=0.05",
  paint_vs_app_bridge: "<=1.1",
  paint_official_view_vs_app_bridge: "<=1.1",
};
console.log(JSON.stringify({ bench: "app", ratios, bounds }));
process.exit(
  Object.entries(bounds).some(([key, bound]) => !((ratios[key] ?? Infinity) <= Number(bound.slice(2)))) ? 1 : 0,
);

/** Shows a page once; returns the milliseconds from the result to the paint. */
function show(how: string, script: string, sandbox: string): Promise<number> {
  const html = `<!doctype html><meta charset="utf-8"><body><script type="module">${script}</script></body>`;
  const result = { content: [{ type: "text", text: "sunny" }], structuredContent: { sky: "sunny" } };
  return page.evaluate(`${how}(${JSON.stringify(html)}, ${JSON.stringify(sandbox)}, ${JSON.stringify(result)})`);
}

async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL("..", import.meta.url)), loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["biplane-source"],
  });
  return outputFiles[0]?.text ?? "";
}

interface Gateway {
  readonly origin: string;
  readonly sandbox: string;
  readonly plain: string;
  close(): void;
}

async function listen(script: string): Promise<Gateway> {
  const endpoints: { sandbox?: ReturnType<typeof sandboxEndpoint>; csp?: string } = {};
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { host = "" } = request.headers;
    if (host.startsWith("plain.")) {
      const headers = {
        "content-type": "text/html",
        "content-security-policy": endpoints.csp,
        "cache-control": "no-store",
      };
      response.writeHead(200, headers).end(plainProxy);
    } else if (endpoints.sandbox?.owns(host)) {
      const { status, headers, bytes } = endpoints.sandbox.handle({ method: "GET", host, url: request.url ?? "" });
      response.writeHead(status, headers).end(bytes);
    } else if (request.url === "/host.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    } else {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>Bench</title><body><script type="module" src="/host.js"></script></body>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const sandbox = `http://{app}.localhost:${port}`;
  endpoints.sandbox = sandboxEndpoint({ address: sandbox, hosts: [origin] });
  endpoints.csp = contentSecurityPolicy({}, origin);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin, sandbox, plain: `http://plain.localhost:${port}/`, close };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
