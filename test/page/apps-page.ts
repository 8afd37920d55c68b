/** An app that does all that an app may want, by plain messages. Each button is one request; what comes of it is in #log. */
export const appHtml = `<!doctype html>
<html lang="en"><head><title>Till</title></head><body style="margin:0;height:240px;color:var(--color-text-primary)">
<pre id="input"></pre><pre id="result"></pre><pre id="log"></pre>
<button id="sell">Sell</button><button id="inner">Inner</button><button id="link">Link</button>
<button id="message">Message</button><button id="full">Full</button><button id="context">Context</button>
<button id="flood">Flood</button>
<script>
  let ids = 0;
  const waiting = new Map();
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) => new Promise((resolve) => { const id = ++ids; waiting.set(id, resolve); post({ id, method, params }); });
  const log = (value) => { document.getElementById("log").textContent += JSON.stringify(value) + "\\n"; };
  const dress = (context) => {
    if (context.theme) document.documentElement.dataset.theme = context.theme;
    if (context.displayMode) document.documentElement.dataset.mode = context.displayMode;
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) document.documentElement.style.setProperty(name, value);
  };
  addEventListener("message", async ({ data }) => {
    if (data.id !== undefined && data.method === undefined) return waiting.get(data.id)?.(data.result ?? data.error);
    if (data.method === "ui/notifications/tool-input") document.getElementById("input").textContent = JSON.stringify(data.params.arguments);
    if (data.method === "ui/notifications/tool-result") document.getElementById("result").textContent = JSON.stringify(data.params.structuredContent);
    if (data.method === "ui/notifications/host-context-changed") dress(data.params);
    if (data.method === "ui/resource-teardown") { await ask("tools/call", { name: "take_leave", arguments: {} }); post({ id: data.id, result: {} }); }
  });
  const requests = {
    sell: () => ask("tools/call", { name: "sell", arguments: {} }),
    inner: () => ask("tools/call", { name: "inner", arguments: {} }),
    link: () => ask("ui/open-link", { url: "http://shop.test/receipt?for=ada" }),
    message: () => ask("ui/message", { role: "user", content: [{ type: "text", text: "<b>Count</b> the till" }] }),
    full: () => ask("ui/request-display-mode", { mode: "fullscreen" }),
    context: () => ask("ui/update-model-context", { content: [{ type: "text", text: "The till is open" }] }),
    flood: () => { for (let at = 0; at < 3000; at++) parent.postMessage({ no: "message" }, "*"); },
  };
  for (const [id, request] of Object.entries(requests)) document.getElementById(id).addEventListener("click", async () => log(await request()));
  ask("ui/initialize", { appInfo: { name: "till", title: "The till", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] }, protocolVersion: "2026-01-26" })
    .then(({ hostContext }) => { dress(hostContext); post({ method: "ui/notifications/initialized", params: {} }); post({ method: "ui/notifications/size-changed", params: { height: 260 } }); });
</script></body></html>`;
