import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { prepareStage, viewAddress } from "./view-stage.ts";

let browser: Browser;
let page: Page;
let stage: Awaited<ReturnType<typeof prepareStage>>;

beforeAll(async () => {
  browser = await openChromium();
  page = await browser.newPage();
  stage = await prepareStage(page);
});
afterAll(() => browser?.close());

test("the handshake tells each side who the other is and what it can do", async () => {
  const { host, view } = await stage({ context: { theme: "dark", locale: "de-AT" } });
  const ready = await view<Record<string, unknown>>("view.ready");
  expect(ready).toEqual({
    host: { name: "yardstick", version: "9.9.9" },
    capabilities: expect.objectContaining({ openLinks: {}, serverTools: {} }),
    context: { theme: "dark", locale: "de-AT" },
    protocolVersion: "2026-01-26",
  });
  await host("take('initialized')");
  expect(await host("bridge.getAppVersion()")).toEqual({ name: "table", version: "1.0.0", title: "Table" });
  expect(await host("bridge.getAppCapabilities()")).toEqual({ availableDisplayModes: ["inline", "fullscreen"] });
  expect(await view("view.host.name")).toBe("yardstick");
});

test("a call's input, part by part and then whole, and its result arrive in order", async () => {
  const { host, view } = await stage();
  await host(`take('initialized').then(async () => {
    await bridge.sendToolInputPartial({ arguments: {} });
    await bridge.sendToolInputPartial({ arguments: { title: "Sal" } });
    await bridge.sendToolInput({ arguments: { title: "Sales", rows: 3 } });
    await bridge.sendToolResult({ content: [{ type: "text", text: "3 rows" }], structuredContent: { rows: [1, 2, 3] } });
  })`);
  expect(await view("take('result')")).toEqual({
    content: [{ type: "text", text: "3 rows" }],
    structuredContent: { rows: [1, 2, 3] },
  });
  expect(await view("heardInOrder")).toEqual(["context", "partial", "partial", "input", "result"]);
  expect(await view("take('partial')")).toEqual({});
  expect(await view("take('partial')")).toEqual({ title: "Sal" });
  expect(await view("take('input')")).toEqual({ title: "Sales", rows: 3 });
});

test("a cancellation arrives instead of a result", async () => {
  const { host, view } = await stage();
  await host("take('initialized').then(() => bridge.sendToolCancelled({ reason: 'the user left' }))");
  expect(await view("take('cancelled')")).toBe("the user left");
  await host("bridge.sendToolCancelled({})");
  expect(await view("take('cancelled')")).toBe(null);
});

test("a page calls tools, reads resources and sends messages", async () => {
  const { host, view } = await stage();
  expect(await view("view.callTool('refine', { by: 3, at: new Date(0), none: undefined })")).toEqual({
    content: [],
    structuredContent: { name: "refine", input: { by: 3, at: "1970-01-01T00:00:00.000Z" } },
  });
  expect(await view("view.callTool('list')")).toMatchObject({ structuredContent: { name: "list" } });
  expect(await view("view.readResource('data://rows')")).toEqual({ contents: [{ uri: "data://rows", text: "hello" }] });
  await view("view.message('hello')");
  expect(await host("take('onmessage')")).toEqual({ role: "user", content: [{ type: "text", text: "hello" }] });
  await view("view.message([{ type: 'image', data: 'aGk=', mimeType: 'image/png' }])");
  expect(await host("take('onmessage')")).toMatchObject({ content: [{ type: "image" }] });
  await view("view.updateContext({ content: '2 rows chosen', structured: { chosen: [1, 2] } })");
  expect(await host("take('onupdatemodelcontext')")).toEqual({
    content: [{ type: "text", text: "2 rows chosen" }],
    structuredContent: { chosen: [1, 2] },
  });
  await view("view.openLink('https://example.org/')");
  expect(await host("take('onopenlink')")).toEqual({ url: "https://example.org/" });
  await view("view.log('warning', { rows: 0 }, 'table')");
  expect(await host("take('log')")).toEqual({ level: "warning", logger: "table", data: { rows: 0 } });
});

test("a tool that fails is a result; a host that refuses is an error that says what was refused", async () => {
  const { host, view } = await stage();
  await host(`(answers.oncalltool = () => ({ content: [{ type: "text", text: "Error: no" }], isError: true }), 0)`);
  expect(await view("view.callTool('refine', {})")).toMatchObject({ isError: true });
  await host(`Object.assign(answers, {
    oncalltool: () => { throw new Error("not today") },
    onmessage: () => ({ isError: true }),
    onopenlink: () => ({ isError: true }),
    onreadresource: undefined,
  }) && 0`);
  expect(await view("attempt(() => view.callTool('refine', {}))")).toEqual({
    code: "EXECUTION_ERROR",
    message: "The host refused: not today",
  });
  expect(await view("attempt(() => view.message('hello'))")).toEqual({
    code: "EXECUTION_ERROR",
    message: "The host did not accept the message.",
  });
  expect(await view("attempt(() => view.openLink('https://example.org/'))")).toEqual({
    code: "EXECUTION_ERROR",
    message: "The host did not open https://example.org/.",
  });
  await host("(bridge.removeRequestHandler('ui/update-model-context'), 0)");
  expect(await view("attempt(() => view.updateContext({}))")).toMatchObject({ code: "NOT_SUPPORTED" });
});

test("a display mode is asked for only where the host has it, and the answer is what it set", async () => {
  const { host, view } = await stage({
    context: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
  });
  expect(await view("view.requestDisplayMode('fullscreen')")).toBe("fullscreen");
  await host("(answers.onrequestdisplaymode = () => ({ mode: 'inline' }), 0)");
  expect(await view("view.requestDisplayMode('fullscreen')")).toBe("inline");
  expect(await view("view.requestDisplayMode('pip')")).toBe("inline");
  expect(await host("untaken('onrequestdisplaymode')")).toBe(2);
});

test("the host's styles are applied to the document, and follow its changes", async () => {
  const fonts = '@font-face { font-family: "Yard"; src: local("Arial") }';
  const { host, view } = await stage({
    context: {
      theme: "dark",
      styles: { variables: { "--font-sans": "Yard", "--color-text-primary": "rgb(1, 2, 3)" }, css: { fonts } },
    },
  });
  const property = (name: string) =>
    view<string>(`getComputedStyle(document.documentElement).getPropertyValue('${name}').trim()`);
  await view("view.ready.then(() => 0)");
  expect(await view("document.documentElement.dataset.theme")).toBe("dark");
  expect(await property("color-scheme")).toBe("dark");
  expect(await property("--color-text-primary")).toBe("rgb(1, 2, 3)");
  expect(await view("[...document.fonts].map((font) => font.family.replaceAll('\"', ''))")).toEqual(["Yard"]);

  await view("take('context').then(() => 0)");
  const changed = { theme: "light", styles: { variables: { "--font-sans": "Mast" } } };
  await host(`bridge.sendHostContextChange(${JSON.stringify(changed)})`);
  expect(await view("take('context')")).toEqual({ changed, whole: changed });
  expect(await view("document.documentElement.dataset.theme")).toBe("light");
  expect(await property("--font-sans")).toBe("Mast");
  expect(await property("--color-text-primary")).toBe("");
  await host("bridge.sendHostContextChange({ locale: 'fr' })");
  expect(await view("take('context')")).toEqual({ changed: { locale: "fr" }, whole: { ...changed, locale: "fr" } });
  expect(await view("view.context.theme + view.context.locale")).toBe("lightfr");
});

test("a page can keep its own styles", async () => {
  const { view } = await stage({
    view: "hostStyles: false",
    context: { theme: "dark", styles: { variables: { "--font-sans": "Yard" } } },
  });
  await view("view.ready.then(() => 0)");
  expect(await view("document.documentElement.dataset.theme ?? 'none'")).toBe("none");
  expect(await view("document.documentElement.style.cssText")).toBe("");
});

test("the height of the content is reported at first and whenever it changes", async () => {
  const { host, view } = await stage();
  expect(await host("take('size')")).toEqual({ width: expect.any(Number), height: 120 });
  await view("(document.getElementById('content').style.height = '300px')");
  expect(await host("take('size')")).toMatchObject({ height: 300 });
  await view("(document.getElementById('content').style.height = '80.4px')");
  expect(await host("take('size')")).toMatchObject({ height: 81 });
  expect(await host("untaken('size')")).toBe(0);
});

test("a page that fills its frame reports what its content needs, not the frame", async () => {
  const { host } = await stage({ style: "html { height: 100% }" });
  expect(await host("take('size')")).toMatchObject({ height: 120 });
});

test("a page may report sizes itself", async () => {
  const { host, view } = await stage({ view: "autoResize: false" });
  await view("view.resize({ height: 42 })");
  expect(await host("take('size')")).toEqual({ height: 42 });
  await view(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(view.log('info', 1)))))",
  );
  await host("take('log')");
  expect(await host("untaken('size')")).toBe(0);
});

test("a host waits for the page's teardown handler", async () => {
  const { host, view } = await stage({
    view: "onTeardown: async (reason) => { note('teardown', reason ?? null); await new Promise((done) => (globalThis.finish = done)); }",
  });
  await host("take('initialized').then(() => { globalThis.gone = bridge.teardownResource({}); })");
  expect(await view("take('teardown')")).toBe(null);
  await view("finish()");
  expect(await host("gone")).toEqual({});
});

test("a teardown handler that fails is reported to the host", async () => {
  const { host } = await stage({ view: "onTeardown: () => { throw new Error('not saved'); }" });
  const goodbye = "bridge.teardownResource({}).catch(({ code, message }) => ({ code, message }))";
  expect(await host(`take('initialized').then(() => ${goodbye})`)).toEqual({ code: -32000, message: "not saved" });
});

test("a ping is answered, and what only the draft asks for is refused as a draft", async () => {
  const { host } = await stage();
  await host("take('initialized')");
  expect(await host("bridge.request({ method: 'ping' })")).toEqual({});
  const refused = await host<{ code: number; message: string }>(
    "bridge.callTool({ name: 'x' }).catch(({ code, message }) => ({ code, message }))",
  );
  expect(refused).toEqual({
    code: -32601,
    message: "tools/call is only in the draft of MCP Apps, not in 2026-01-26",
  });
});

test("a request that takes too long, or that the page gives up, is cancelled at the host", async () => {
  const { host, view } = await stage();
  await host(`(answers.oncalltool = (params, { mcpReq }) => new Promise(() => {
    mcpReq.signal.addEventListener("abort", () => note("aborted", params.name));
  }), 0)`);
  expect(await view("attempt(() => view.callTool('slow', {}, { timeoutMs: 30 }))")).toEqual({
    code: "TIMEOUT",
    message: "tools/call was not answered within 30 ms",
  });
  expect(await host("take('aborted')")).toBe("slow");
  expect(await host("take('wire notifications/cancelled')")).toMatchObject({
    params: { requestId: 2, reason: "was not answered within 30 ms" },
  });
  await view("(globalThis.stop = new AbortController(), 0)");
  await view(
    "(globalThis.given = attempt(() => view.callTool('long', {}, { signal: stop.signal, timeoutMs: Infinity })), 0)",
  );
  await host("take('oncalltool').then(() => take('oncalltool'))");
  await view("stop.abort()");
  expect(await view("given")).toEqual({ code: "CANCELLED", message: "tools/call was cancelled" });
  expect(await host("take('aborted')")).toBe("long");
  expect(await view("attempt(() => view.callTool('never', {}, { signal: stop.signal }))")).toMatchObject({
    code: "CANCELLED",
  });
  expect(await host("untaken('oncalltool')")).toBe(0);
});

test("what is not JSON is refused before it is sent", async () => {
  const { view } = await stage();
  expect(await view("attempt(() => view.callTool('refine', { by: 3n }))")).toEqual({
    code: "INVALID_INPUT",
    message: "tools/call cannot be serialized as JSON",
  });
});

test("only messages of the parent window are read", async () => {
  const { host, view } = await stage();
  await host("take('initialized')");
  const forged = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } };
  const sibling = `<script>parent.frames[0].postMessage(${JSON.stringify(forged)}, "*"); parent.postMessage("sent", "*")</script>`;
  await host(`new Promise((sent) => {
    addEventListener("message", ({ data }) => data === "sent" && sent());
    const frame = document.createElement("iframe");
    frame.srcdoc = ${JSON.stringify(sibling)};
    document.body.append(frame);
  })`);
  await view(`new Promise((heard) => {
    addEventListener("message", heard, { once: true });
    postMessage(${JSON.stringify(forged)}, "*");
  }).then(() => 0)`);
  await host("bridge.sendToolResult({ content: [{ type: 'text', text: 'true' }] })");
  expect(await view("take('result')")).toMatchObject({ content: [{ text: "true" }] });
  expect(await view("untaken('result')")).toBe(0);
});

test("invalid messages of the parent window and handlers that throw are survived", async () => {
  const { host, view } = await stage({ view: "onInput: () => { throw new Error('in the page') }" });
  await host("take('initialized')");
  await view("addEventListener('error', ({ error, message }) => note('error', error?.message ?? message))");
  await host(`[null, 7, "x", [], new Map(), { jsonrpc: "2.0" }, { jsonrpc: "2.0", id: 99, result: {} },
    { jsonrpc: "2.0", method: "__proto__" }, { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: 7 },
    { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: "none" } },
  ].forEach((message) => frames[0].postMessage(message, "*"))`);
  expect(await view("take('result')")).toEqual({ content: [] });
  await host("bridge.sendToolInput({ arguments: {} })");
  expect(await view("take('error')")).toContain("in the page");
  expect(await view("view.callTool('still', {})")).toMatchObject({ structuredContent: { name: "still" } });
});

test("a closed view answers nothing and fails what was waiting", async () => {
  const { host, view } = await stage();
  await host("(answers.oncalltool = () => new Promise(() => {}), 0)");
  await view("(globalThis.given = attempt(() => view.callTool('slow', {})), 0)");
  await host("take('oncalltool')");
  await view("view.close()");
  expect(await view("given")).toEqual({ code: "CANCELLED", message: "The view was closed" });
  expect(await view("attempt(() => view.callTool('late', {}))")).toMatchObject({ code: "CANCELLED" });
});

test("a page opened without a host gets an error", async () => {
  await page.goto(viewAddress);
  const failure = {
    code: "NOT_SUPPORTED",
    message: "This page has no host. Call its tool in a client that shows MCP Apps.",
  };
  expect(await page.evaluate("attempt(() => view.ready)")).toEqual(failure);
  expect(await page.evaluate("attempt(() => view.callTool('x', {}))")).toEqual(failure);
});
