import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { open, openStage, plainApp, show } from "./host-stage.ts";
import type { Show, Shown, ShownFrame, Stage } from "./host-stage.ts";

const flood = process.env["BIPLANE_SOAK"] ? 1_000_000 : 20_000;

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  page = await stage.newPage();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await stage.clear(page);
});

const shown = (options: Partial<Show> = {}) => show(page, stage, { html: plainApp, ...options });
/** An app that has been greeted. */
const started = async (options: Partial<Show> = {}): Promise<Shown> => {
  const app = await shown(options);
  await app.view.evaluate(() => client.start());
  await app.waitFor("ready");
  return app;
};
const host = <Result>(act: (frame: ShownFrame) => Result): Promise<Awaited<Result>> =>
  page.evaluate(`(${String(act)})(stageState().frame)`);
/** Runs a script in the app as text, because these tests are compiled without the types of a browser. */
const run = <Result>(app: Shown, script: string): Promise<Result> => app.view.evaluate(`(async () => { ${script} })()`);
/** What became of each of these expressions: a value as text, or the name of the error. */
const attempts = (app: Shown, scripts: readonly string[]): Promise<string[]> =>
  run(
    app,
    `const results = [];
    for (const script of ${JSON.stringify(scripts)}) {
      // In a task of the page's own: what a test itself evaluates is above the policy.
      await new Promise((resolve) => setTimeout(resolve));
      const element = document.createElement("script");
      globalThis.attempted = undefined;
      element.textContent = "globalThis.attempted = (async () => { return (" + script + ") })()";
      document.body.append(element);
      results.push(await globalThis.attempted.then(String, (error) => error.name));
    }
    return results;`,
  );
const isAlive = (app: Shown) =>
  app.view.evaluate(() => client.ask("ping", {})).then(({ result }) => result !== undefined);

test("an app that declares nothing loads nothing and connects nowhere", async () => {
  const app = await started();
  const refused = await attempts(app, [
    `fetch("${stage.elsewhere}/fetched")`,
    `fetch("${stage.origin}/api/secrets", { method: "POST", mode: "no-cors", credentials: "include" })`,
    `new Promise((ok, no) => { const xhr = new XMLHttpRequest(); xhr.open("GET", "${stage.elsewhere}/xhr"); xhr.onload = ok; xhr.onerror = () => no(new Error("blocked")); xhr.send(); })`,
    `new Promise((ok, no) => { const socket = new WebSocket("${stage.elsewhere.replace("http", "ws")}/socket"); socket.onopen = ok; socket.onerror = () => no(new Error("blocked")); })`,
    `new Promise((ok, no) => { const image = new Image(); image.onload = ok; image.onerror = () => no(new Error("blocked")); image.src = "${stage.elsewhere}/image.png"; })`,
    `new Promise((ok, no) => { const script = document.createElement("script"); script.onload = ok; script.onerror = () => no(new Error("blocked")); script.src = "${stage.elsewhere}/script.js"; document.body.append(script); })`,
    `new Promise((ok, no) => { const link = document.createElement("link"); link.rel = "stylesheet"; link.onload = ok; link.onerror = () => no(new Error("blocked")); link.href = "${stage.elsewhere}/style.css"; document.head.append(link); })`,
    `import("${stage.elsewhere}/module.js")`,
    `new Promise((ok, no) => { const source = new EventSource("${stage.elsewhere}/events"); source.onopen = ok; source.onerror = () => no(new Error("blocked")); })`,
    `new Function("return 1")()`,
    `new Promise((ok, no) => { const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))); worker.onmessage = ok; worker.onerror = () => no(new Error("blocked")); })`,
  ]);
  expect(refused).toEqual([
    "TypeError",
    "TypeError",
    "Error",
    "Error",
    "Error",
    "Error",
    "Error",
    "TypeError",
    "Error",
    "EvalError",
    "Error",
  ]);
  const violations = await run(
    app,
    `const violations = new Set();
    const all = new Promise((resolve) =>
      addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => {
        violations.add(effectiveDirective);
        if (violations.size === 5) resolve([...violations].sort());
      }));
    const from = "${stage.elsewhere}";
    document.body.insertAdjacentHTML("beforeend", '<iframe src="' + from + '/frame"></iframe><object data="' + from + '/object"></object><link rel="prefetch" href="' + from + '/prefetch"><video src="' + from + '/video"></video>');
    navigator.sendBeacon(from + "/beacon", "x");
    return all;`,
  );
  expect(violations).toEqual(["connect-src", "default-src", "frame-src", "media-src", "object-src"]);
  expect(stage.visits).toEqual([]);
});

test("an app gets what it declared, and nothing else", async () => {
  const app = await started({
    resource: {
      csp: { connectDomains: [stage.elsewhere], resourceDomains: [stage.elsewhere], frameDomains: [stage.elsewhere] },
    },
  });
  const [fetched, script, other] = await attempts(app, [
    `fetch("${stage.elsewhere}/fetched").then((response) => response.status)`,
    `new Promise((ok, no) => { const script = document.createElement("script"); script.onload = () => ok(globalThis.loadedFromElsewhere); script.onerror = () => no(new Error("blocked")); script.src = "${stage.elsewhere}/script.js"; document.body.append(script); })`,
    `fetch("${stage.origin}/other")`,
  ]);
  expect([fetched, script, other]).toEqual(["200", "true", "TypeError"]);
  expect(stage.visits).toEqual(["GET /fetched", "GET /script.js"]);
  expect(await host(({ granted }) => granted)).toEqual({
    csp: { connectDomains: [stage.elsewhere], resourceDomains: [stage.elsewhere], frameDomains: [stage.elsewhere] },
    permissions: {},
  });
});

test("a domain that contains a directive is dropped, and both the app and the log report it", async () => {
  const evil = `${stage.elsewhere}; script-src * 'unsafe-eval'; connect-src *`;
  const app = await shown({ resource: { csp: { connectDomains: [evil, stage.origin, "https://fine.example.com"] } } });
  const { result } = await app.view.evaluate(() => client.start());
  expect(result).toMatchObject({
    hostCapabilities: { sandbox: { csp: { connectDomains: ["https://fine.example.com"] } } },
  });
  const refused = await attempts(app, [`fetch("${stage.elsewhere}/")`, `fetch("${stage.origin}/")`, "eval('1')"]);
  expect(refused).toEqual(["TypeError", "TypeError", "EvalError"]);
  expect(await app.remarks()).toEqual([
    `csp.connectDomains ${evil.slice(0, 100)} was not granted: it is not an origin such as https://api.example.com`,
    `csp.connectDomains ${stage.origin} was not granted: it is the origin of the page or of the sandbox`,
  ]);
  expect(stage.visits).toEqual([]);
});

test("an app reaches neither its outer frame nor the page", async () => {
  const app = await started();
  const escaped = await attempts(app, [
    "parent.document.body.innerHTML",
    "top.document.title",
    "parent.parent.stageState().told.length",
    "parent.location.href",
    "top.location.href",
    "frameElement && frameElement.ownerDocument.title",
    "parent.eval('1')",
    "origin",
  ]);
  expect(escaped).toEqual([...Array<string>(5).fill("SecurityError"), "null", "SecurityError", "null"]);
});

test("an app has no cookies, no storage and no service worker", async () => {
  const app = await started();
  const kept = await attempts(app, [
    "document.cookie",
    "localStorage.getItem('person')",
    "sessionStorage.length",
    "new Promise((ok, no) => { const request = indexedDB.open('x'); request.onsuccess = ok; request.onerror = () => no(request.error); })",
    "caches.open('x')",
    "navigator.serviceWorker.register('/sandbox')",
  ]);
  for (const each of kept) expect(each).toMatch(/^(SecurityError|TypeError|InvalidStateError)$/);
});

test("an app cannot move the page, open windows, show dialogs or start downloads", async () => {
  const app = await started();
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("download", (download) => void dialogs.push(download.url()));
  const pages = page.context().pages().length;
  const moved = await attempts(app, [
    `void (top.location = "${stage.elsewhere}/top")`,
    `void (parent.location = "${stage.elsewhere}/parent")`,
    `top.location.replace("${stage.elsewhere}/replaced")`,
    `window.open("${stage.elsewhere}/popup")`,
    `window.open("${stage.elsewhere}/top", "_top")`,
    `window.open("${stage.elsewhere}/parent", "_parent")`,
    "alert('hello')",
    "confirm('sure?')",
    "print()",
    `(() => { for (const target of ["_top", "_parent", "_blank"]) { const link = document.createElement("a"); link.href = "${stage.elsewhere}/link"; link.target = target; document.body.append(link); link.click(); } })()`,
    `(() => { const link = document.createElement("a"); link.href = "data:text/plain,x"; link.download = "x.exe"; document.body.append(link); link.click(); })()`,
  ]);
  // Some Chromium throws at once, some it ignores: what counts is that nothing moved.
  expect(moved.slice(0, 2)).toEqual(["SecurityError", "SecurityError"]);
  expect(await isAlive(app)).toBe(true);
  expect(page.url()).toBe(`${stage.origin}/`);
  expect(page.context().pages()).toHaveLength(pages);
  expect(dialogs).toEqual([]);
  expect(stage.visits).toEqual([]);
});

test("a form tells its page that it was submitted, and sends nothing anywhere", async () => {
  const app = await started();
  const form = (more: string) =>
    `document.body.innerHTML = '<form action="${stage.elsewhere}/form" method="post" ${more}><input name="a" value="b"><button>Go</button></form>';
    globalThis.submitted = new Promise((resolve) => document.forms[0].addEventListener("submit", resolve));`;
  const submitted = await run(
    app,
    `${form("")}
    document.forms[0].addEventListener("submit", (event) => event.preventDefault());
    document.querySelector("button").click();
    return submitted.then(({ type }) => type);`,
  );
  expect(submitted).toBe("submit");
  for (const target of ["_top", "_blank"])
    await run(app, `${form(`target="${target}"`)} document.querySelector("button").click(); await submitted;`);
  expect(await isAlive(app)).toBe(true);
  // One that really goes takes the app with it.
  await run(app, `${form("")} document.querySelector("button").click();`).catch(() => undefined);
  expect(await app.waitFor("stopped")).toBe("it navigated to another page");
  expect(page.url()).toBe(`${stage.origin}/`);
  expect(stage.visits).toEqual([]);
});

test.each([
  ["a script", "<script>onload = () => setTimeout(() => (location.href = 'ELSEWHERE/away'))</script>"],
  ["a refresh", "<meta http-equiv='refresh' content='0;url=ELSEWHERE/away'>"],
  ["data", "<script>onload = () => setTimeout(() => (location.href = 'data:text/html,away'))</script>"],
  ["nothing", "<script>onload = () => setTimeout(() => (location.href = 'about:blank'))</script>"],
])("an app that leaves its page by %s gets nowhere and is stopped", async (_, html) => {
  await open(page, stage, { html: html.replace("ELSEWHERE", stage.elsewhere) });
  await page.waitForFunction(() => stageState().told.some(({ kind }) => kind === "stopped"));
  expect(await page.evaluate(() => stageState().told)).toContainEqual({
    kind: "stopped",
    value: "it navigated to another page",
  });
  expect(await page.locator("iframe").count()).toBe(0);
  expect(await host(({ isClosed }) => isClosed)).toBe(true);
  expect(stage.visits).toEqual([]);
});

test("an app that navigates to a page it may frame is stopped", async () => {
  const app = await started({ consent: null, resource: { csp: { frameDomains: [stage.elsewhere] } } });
  await run(app, `location.href = "${stage.elsewhere}/away"`).catch(() => undefined);
  expect(await app.waitFor("stopped")).toBe("it navigated to another page");
  expect(stage.visits).toEqual([]);
  expect(await app.told("message")).toEqual([]);
  expect(await page.locator("iframe").count()).toBe(0);
});

test("a page inside the app cannot speak for it", async () => {
  const app = await started({ consent: true, resource: { csp: { frameDomains: [stage.elsewhere] } } });
  // It posts to the app, and past the app to the page around it, which takes only what the app itself posts.
  await run(
    app,
    `const frame = document.createElement("iframe");
    frame.src = "${stage.elsewhere}/frame";
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    document.body.append(frame);
    await loaded;`,
  );
  expect(stage.visits).toContain("GET /frame");
  expect(await isAlive(app)).toBe(true);
  expect(await app.view.evaluate(() => client.heard.some(({ id }) => id === 900))).toBe(true);
  expect(await app.told("message")).toEqual([]);
});

test("an app cannot speak to the page directly, nor as its sandbox", async () => {
  const app = await started({ consent: true });
  await run(
    app,
    `const message = { jsonrpc: "2.0", id: 77, method: "ui/message", params: { role: "user", content: [{ type: "text", text: "spoof" }] } };
    parent.parent.postMessage(message, "*");
    top.postMessage(message, "*");
    for (const name of ["proxy-ready", "resource-ready", "view-left", "anything"]) {
      const params = { html: "<p>mine</p>", csp: { connectDomains: ["https://evil.example.com"] } };
      client.tell("ui/notifications/sandbox-" + name, params);
      parent.parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-" + name, params }, "*");
    }`,
  );
  expect(await isAlive(app)).toBe(true);
  expect(await app.told("message")).toEqual([]);
  expect(await app.told("stopped")).toEqual([]);
  expect(await host(({ granted }) => granted)).toEqual({ csp: {}, permissions: {} });
  expect(await host(({ log }) => log.filter(({ method }) => method?.includes("sandbox-")))).toEqual([]);
  expect(await app.proxy.evaluate("document.querySelectorAll('iframe').length")).toBe(1);
});

test("another window cannot speak to the app as the page, nor to the page as the app", async () => {
  const app = await started({ consent: true });
  const message = {
    jsonrpc: "2.0",
    id: 5,
    method: "ui/message",
    params: { role: "user", content: [{ type: "text", text: "spoof" }] },
  };
  const told = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } };
  // A outsider in the same page, of an origin of its own.
  await page.evaluate(
    `new Promise((resolve) => {
      const outsider = document.createElement("iframe");
      outsider.sandbox = "allow-scripts";
      outsider.srcdoc = ${JSON.stringify(
        `<script>
          parent.postMessage(${JSON.stringify(message)}, "*");
          parent.frames[0].postMessage(${JSON.stringify(told)}, "*");
          parent.frames[0].postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html: "mine" } }, "*");
          parent.postMessage("done", "*");
        </script>`,
      )};
      addEventListener("message", ({ data }) => data === "done" && resolve());
      document.body.append(outsider);
    })`,
  );
  expect(await isAlive(app)).toBe(true);
  expect(await app.told("message")).toEqual([]);
  expect(await app.view.evaluate(() => client.heard.flatMap(({ method }) => method ?? []))).toEqual([]);
});

test("two frames of one app and one origin do not receive each other's messages", async () => {
  const first = await started();
  await page.evaluate("globalThis.firstFrame = stageState().frame");
  const before = await page.evaluate<number>("firstFrame.log.length");
  await open(page, stage, {
    html: `${plainApp}<script>client.start().then(() => client.ask("tools/call", { name: "echo" }))</script>`,
  });
  await first.waitFor("call");
  expect(await page.evaluate("firstFrame.log.length")).toBe(before);
  expect(await first.told("call")).toHaveLength(1);
});

test("messages of an app before it is initialized are ignored", async () => {
  const app = await shown({ consent: true });
  await run(
    app,
    `client.ask("tools/call", { name: "echo", arguments: {} });
    client.ask("ui/open-link", { url: "https://example.com" });
    client.tell("ui/notifications/size-changed", { height: 5 });
    client.tell("ui/notifications/initialized", {});`,
  );
  await app.view.evaluate(() => client.start());
  await app.waitFor("ready");
  expect(await app.told("call")).toEqual([]);
  expect(await app.told("consent")).toEqual([]);
  expect(await app.told("size")).toEqual([]);
  expect(await app.remarks()).toEqual([
    "Ignored tools/call: it came before ui/initialize (1)",
    "Ignored ui/open-link: it came before ui/initialize (2)",
    "Ignored ui/notifications/size-changed: it came before ui/initialize (3)",
    "Ignored ui/notifications/initialized: it came before ui/initialize (4)",
  ]);
  expect(await app.view.evaluate(() => client.heard.length)).toBe(1);
});

test("messages that are not JSON are ignored", async () => {
  const app = await started();
  await run(
    app,
    `const circle = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } };
    circle.params.data = circle;
    let deep = {};
    for (let each = 0; each < 500; each++) deep = { deep };
    const sparse = [];
    sparse.length = 4_000_000_000;
    let reads = 0;
    const getter = { get jsonrpc() { reads++; return "2.0"; }, get method() { return "ping"; }, get id() { return reads; } };
    const log = (data) => ({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } });
    const odd = [
      circle, log(deep), log(sparse), log(new Map([[1, 2]])), log(new Set([1])), log(new Date()), log(/x/), log(new Error("x")),
      log(10n), log(new ArrayBuffer(8)), log(new Blob(["x"])), new Map([["jsonrpc", "2.0"]]), [log("x")], {}, { jsonrpc: "2.0" },
      { jsonrpc: "1.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: null, method: "ping" }, { jsonrpc: "2.0", id: {}, method: "ping" },
      { jsonrpc: "2.0", id: 1, method: 5 }, { jsonrpc: "2.0", id: 1, method: "ping", params: [] }, { jsonrpc: "2.0", id: "host-1", result: {} },
      { jsonrpc: "2.0", id: 1, result: {}, error: {} },
    ];
    for (const message of odd) client.post(message);
    for (const text of ["hello", "", 5, true, null, undefined]) client.post(text);
    client.post(getter);
    const proto = JSON.parse('{"jsonrpc":"2.0","id":"proto","method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"polluted":true},"constructor":1}}}');
    client.post(proto);`,
  );
  expect(await isAlive(app)).toBe(true);
  const remarks = await app.remarks();
  const kinds = [
    "nests too deep",
    "Map",
    "Set",
    "Date",
    "RegExp",
    "Error",
    "bigint",
    "ArrayBuffer",
    "Blob",
    "longer than",
  ];
  expect(kinds.filter((kind) => !remarks.some((remark) => remark.includes(kind)))).toEqual([]);
  expect(remarks.filter((remark) => remark.includes("it is not JSON-RPC")).length).toBeGreaterThan(5);
  expect(await app.told("call")).toHaveLength(1);
  expect(await page.evaluate("({}).polluted")).toBeUndefined();
  expect(await host(({ log }) => log.filter(({ from, method }) => from === "view" && method === "ping").length)).toBe(
    2,
  );
});

test("a message that is too long is ignored", async () => {
  const app = await started({ limits: { charactersPerMessage: 10_000 } });
  await app.view.evaluate(() => {
    client.post({
      jsonrpc: "2.0",
      id: "long",
      method: "tools/call",
      params: { name: "echo", arguments: { x: "x".repeat(20_000) } },
    });
  });
  expect(await isAlive(app)).toBe(true);
  expect(await app.told("call")).toEqual([]);
  expect(await app.remarks()).toEqual(["Ignored a message: it is longer than 10000 characters (1)"]);
});

test("an app that exceeds the message rate is refused, and then stopped", async () => {
  const app = await started({ limits: { messagesPerSecond: 50, faults: 500 } });
  const answers = await app.view.evaluate(() =>
    Promise.all(Array.from({ length: 100 }, () => client.ask("ping", {}))).then((all) =>
      all.map(({ error }) => error?.message ?? "answered"),
    ),
  );
  expect(answers.filter((answer) => answer === "Too many messages: slow down").length).toBeGreaterThan(20);
  await run(
    app,
    `for (let each = 0; each < ${flood}; each++) client.tell("notifications/message", { level: "info", data: each });`,
  ).catch(() => undefined);
  expect(await app.waitFor("stopped")).toBe("Too many messages, 501 times");
  expect(await page.locator("iframe").count()).toBe(0);
  expect((await app.remarks()).length).toBeLessThan(40);
});

test("the number of concurrent calls is limited", async () => {
  const app = await started({ limits: { callsInFlight: 3 } });
  const refused = await app.view.evaluate(async () => {
    for (let each = 0; each < 3; each++) void client.ask("tools/call", { name: "slow" });
    return (await client.ask("tools/call", { name: "slow" })).error?.message;
  });
  expect(refused).toBe("Too many requests at once: wait for an answer");
  await page.waitForFunction(() => stageState().told.filter(({ kind }) => kind === "call").length === 3);
});

test("an app in an endless loop does not block the page, and can be removed", async () => {
  // An origin of its own, and so a process of its own: it goes on for a while after its frame is gone.
  const app = await started({ serverId: "busy" });
  void run(app, "setTimeout(() => { for (;;); })").catch(() => undefined);
  // Until it begins it may still answer.
  await expect.poll(() => host((frame) => frame.ping({ patienceMs: 200 }))).toBe(false);
  await host((frame) => frame.teardown("closed", { patienceMs: 50 }));
  expect(await page.locator("iframe").count()).toBe(0);
});

test("an app has no device that it was not granted", async () => {
  const features = `["camera", "microphone", "geolocation", "clipboard-write", "usb"].filter((feature) => document.featurePolicy.allowsFeature(feature)).join()`;
  const asked = { camera: {}, geolocation: {}, clipboardWrite: {} };
  const plain = await started({ resource: { permissions: asked } });
  expect(await attempts(plain, [features])).toEqual([""]);
  await host((frame) => frame.teardown());
  const granted = await started({
    resource: { permissions: asked },
    permissions: ["clipboardWrite", "geolocation", "microphone"],
  });
  expect(await attempts(granted, [features])).toEqual(["geolocation,clipboard-write"]);
  expect(await host(({ granted }) => granted)).toEqual({
    csp: {},
    permissions: { geolocation: {}, clipboardWrite: {} },
  });
});

test("the sandbox can be framed only by the page it was made for", async () => {
  const src = `${stage.sandbox.replace("{app}", "0123456789abcdef")}/sandbox?host=${encodeURIComponent(stage.origin)}`;
  const outsider = await stage.newPage();
  await outsider.goto(`${stage.elsewhere}/embedder`);
  const [response] = await Promise.all([
    outsider.waitForResponse((each) => each.url() === src),
    outsider.evaluate(`new Promise((resolve) => {
      globalThis.told = [];
      addEventListener("message", ({ data }) => told.push(data));
      const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(src)};
      frame.onload = resolve;
      document.body.append(frame);
    })`),
  ]);
  expect(response.status()).toBe(200);
  expect(await outsider.evaluate("told")).toEqual([]);
  expect(outsider.frames().some((frame) => frame.url() === src)).toBe(false);
  await outsider.close();
});

test("an app may have an origin of its own, the same one each time and not that of any other", async () => {
  const sameOrigin = { sameOrigin: true };
  const originOf = async (options: Partial<Show>) => {
    const app = await started(options);
    const tried = ["origin", "parent.document.title", "top.document.title", `fetch("${stage.elsewhere}/")`, worker];
    const [origin = "", ...others] = await attempts(app, tried);
    // Versions of Chromium differ in how they refuse a service worker.
    const refused = expect.stringMatching(/^(NotSupported|Type)Error$/);
    expect(others).toEqual(["App", "SecurityError", "TypeError", refused]);
    await host((frame) => frame.teardown());
    return origin;
  };
  const worker = "navigator.serviceWorker.register('/sandbox')";
  const origin = await originOf({ resource: sameOrigin });
  expect(origin).toMatch(/^http:\/\/[0-9a-f]{32}\.localhost:\d+$/);
  expect(await originOf({ resource: { ...sameOrigin, uri: "ui://test@0123456789ab" } })).toBe(origin);
  expect(await originOf({ resource: sameOrigin, serverId: "another" })).not.toBe(origin);
  expect(await originOf({ resource: { ...sameOrigin, uri: "ui://another" } })).not.toBe(origin);
  expect(stage.visits).toEqual([]);
});

test("an app with the sandbox's origin gains nothing from controlling the sandbox, and is stopped if it navigates it", async () => {
  const app = await started({ resource: { sameOrigin: true }, consent: true });
  // It can speak as the sandbox's page, which is heard no better than the app itself.
  await run(
    app,
    `const script = parent.document.createElement("script");
    script.textContent = 'parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: { csp: { connectDomains: ["https://evil.example.com"] } } }, "*");' +
      'globalThis.reached = (() => { try { return parent.document.title } catch (error) { return error.name } })();';
    parent.document.body.append(script);`,
  );
  expect(await app.proxy.evaluate("reached")).toBe("SecurityError");
  expect(await isAlive(app)).toBe(true);
  expect(await host(({ granted }) => granted)).toEqual({ csp: {}, permissions: {} });
  await run(
    app,
    `const script = parent.document.createElement("script");
    script.textContent = 'location.href = "${stage.elsewhere}/away"';
    parent.document.body.append(script);`,
  ).catch(() => undefined);
  expect(await app.waitFor("stopped")).toBe("its sandbox navigated to another page");
  // The page it went to spoke at once, in the sandbox's window but not from its origin.
  expect(stage.visits).toEqual(["GET /away"]);
  expect(await app.told("consent")).toEqual([]);
});

test("an origin shared by all apps is granted to none of them", async () => {
  await using shared = await openStage({ browser: stage.browser, address: (port) => `http://localhost:${port}` });
  const own = await shared.newPage();
  await shared.clear(own);
  const app = await show(own, shared, { html: plainApp, resource: { sameOrigin: true } });
  expect(app.proxy.url()).toMatch(/^http:\/\/localhost:\d+\/sandbox\?/);
  expect(await app.proxy.evaluate("document.querySelector('iframe').getAttribute('sandbox')")).toBe(
    "allow-scripts allow-forms",
  );
  expect(await attempts(app, ["origin", "localStorage.length", "parent.document.title"])).toEqual([
    "null",
    "SecurityError",
    "SecurityError",
  ]);
  // The sandbox does not give it either, whatever it is asked for.
  const src = `${shared.sandbox}/sandbox?host=${encodeURIComponent(shared.origin)}`;
  await own.evaluate(`new Promise((resolve) => {
    const frame = document.createElement("iframe");
    addEventListener("message", ({ data, source }) => {
      if (source !== frame.contentWindow) return;
      const params = { html: "<p>", sandbox: "allow-scripts allow-same-origin allow-popups allow-top-navigation" };
      source.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params }, "*");
      resolve();
    });
    frame.src = ${JSON.stringify(src)};
    document.body.append(frame);
  })`);
  const proxy = own.frames().find((frame) => frame.url() === src && frame !== app.proxy);
  const inner = await proxy?.waitForSelector("iframe");
  expect(await inner?.getAttribute("sandbox")).toBe("allow-scripts");
  await own.close();
});
