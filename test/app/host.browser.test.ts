import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openStage, plainApp, show } from "./host-stage.ts";
import type { Show, Shown, ShownFrame, Stage } from "./host-stage.ts";

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
const start = async (app: Shown, more: object = {}) => {
  const answer = await app.view.evaluate((more) => client.start(more), more);
  await app.waitFor("ready");
  return answer;
};
const ask = ({ view }: Shown, method: string, params: object = {}) =>
  view.evaluate(([method, params]) => client.ask(method, params), [method, params] as const);
const hearing = async ({ view }: Shown, method: string) =>
  (await view.evaluate((method) => client.hearing(method), method)).params;
/** What the app received, without responses. */
const heard = ({ view }: Shown) => view.evaluate(() => client.heard.flatMap(({ method }) => method ?? []));
/** Does something with the frame, as the page would. */
const host = <Given, Result>(
  act: (frame: ShownFrame, given: Given) => Result,
  given?: Given,
): Promise<Awaited<Result>> => page.evaluate(`(${String(act)})(stageState().frame, ${JSON.stringify(given)})`);
const result = { content: [{ type: "text" as const, text: "sunny" }], structuredContent: { sky: "sunny" } };

test("an app gets the capabilities that the page has", async () => {
  const app = await shown({ consent: true, context: { theme: "dark", locale: "de-DE" } });
  const { result } = await start(app);
  expect(result).toEqual({
    protocolVersion: "2026-01-26",
    hostInfo: { name: "stage", version: "1.0.0" },
    hostContext: { theme: "dark", locale: "de-DE", displayMode: "inline" },
    hostCapabilities: {
      logging: {},
      openLinks: {},
      serverTools: { listChanged: true },
      serverResources: { listChanged: true },
      message: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} },
      updateModelContext: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} },
      sandbox: { csp: {}, permissions: {} },
    },
  });
});

test("a missing handler is neither offered nor served", async () => {
  const app = await shown({ onMessage: null, onModelContext: null } as object);
  const { result } = await start(app);
  expect(Object.keys(result?.["hostCapabilities"] as object)).toEqual([
    "logging",
    "serverTools",
    "serverResources",
    "sandbox",
  ]);
  const content = [{ type: "text", text: "hi" }];
  const refused = [
    await ask(app, "ui/open-link", { url: "https://example.com" }),
    await ask(app, "ui/message", { role: "user", content }),
    await ask(app, "ui/update-model-context", { content }),
  ];
  expect(refused.map(({ error }) => error?.code)).toEqual([-32601, -32601, -32601]);
});

test("an unknown revision is answered with ours", async () => {
  const app = await shown();
  const { result } = await start(app, { protocolVersion: "2099-01-01" });
  expect(result?.["protocolVersion"]).toBe("2026-01-26");
});

test("messages to an app wait until it is initialized, and arrive in order", async () => {
  const app = await shown();
  await host((frame) => {
    frame.partialInput({ city: "Par" });
    frame.partialInput({ city: "Paris" });
    frame.input({ city: "Paris" });
    frame.context({ theme: "dark" });
    frame.result({ content: [{ type: "text", text: "sunny" }], structuredContent: { sky: "sunny" } });
  });
  const greeting = await ask(app, "ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "test", version: "1" },
    appCapabilities: {},
  });
  expect(greeting.result?.["hostContext"]).toMatchObject({ theme: "dark" });
  await host((frame) => frame.context({ theme: "light" }));
  await ask(app, "ping");
  expect(await heard(app)).toEqual([]);
  await app.view.evaluate(() => client.tell("ui/notifications/initialized", {}));
  await hearing(app, "ui/notifications/host-context-changed");
  expect(await heard(app)).toEqual([
    "ui/notifications/tool-input-partial",
    "ui/notifications/tool-input-partial",
    "ui/notifications/tool-input",
    "ui/notifications/tool-result",
    "ui/notifications/host-context-changed",
  ]);
  expect(await hearing(app, "ui/notifications/tool-input")).toEqual({ arguments: { city: "Paris" } });
  expect(await hearing(app, "ui/notifications/tool-result")).toEqual(result);
  expect(await hearing(app, "ui/notifications/host-context-changed")).toEqual({ theme: "light" });
});

test("a cancelled call is reported as cancelled", async () => {
  const app = await shown();
  await start(app);
  await host((frame) => frame.cancelled("the user changed their mind"));
  expect(await hearing(app, "ui/notifications/tool-cancelled")).toEqual({ reason: "the user changed their mind" });
});

test("the page cannot send the messages of a call out of order", async () => {
  await shown();
  const errors = await host((frame) => {
    const faults: string[] = [];
    const attempt = (act: () => void) => {
      try {
        act();
      } catch (error) {
        faults.push((error as Error).message);
      }
    };
    attempt(() => frame.result({ content: [] }));
    attempt(() => frame.input({}));
    attempt(() => frame.input({}));
    attempt(() => frame.partialInput({}));
    attempt(() => frame.result({ content: [] }));
    attempt(() => frame.result({ content: [] }));
    attempt(() => frame.cancelled());
    return faults;
  });
  expect(errors).toEqual([
    "An app gets the input before the result. Call input() first.",
    "input() was called after input().",
    "partialInput() was called after input().",
    "result() was called after result() or cancelled().",
    "cancelled() was called after result() or cancelled().",
  ]);
});

test("an app calls tools of its server, and gets their results", async () => {
  const app = await shown();
  await start(app);
  const called = await ask(app, "tools/call", { name: "echo", arguments: { n: 1 }, _meta: { forged: true } });
  expect(called.result).toEqual({ content: [{ type: "text", text: '{"n":1}' }], structuredContent: { n: 1 } });
  expect(await app.told("call")).toEqual([{ name: "echo", input: { n: 1 } }]);
  const failed = await ask(app, "tools/call", { name: "fails" });
  expect(failed.error).toEqual({ code: -32000, message: "the server is away" });
});

test("an app cannot call a tool for the model, one with invalid visibility, or an unknown one", async () => {
  const app = await shown();
  await start(app);
  for (const name of ["for-the-model", "odd", "of-another-server", "__proto__"]) {
    const { error } = await ask(app, "tools/call", { name });
    expect(error).toEqual({ code: -32000, message: `${name} is not a tool that apps of this server may call` });
  }
  expect(await app.told("call")).toEqual([]);
});

test("the model's list leaves out what is for apps alone", async () => {
  await shown();
  const names = await page.evaluate(`biplane.modelTools([
    { name: "both" },
    { name: "said", _meta: { ui: { visibility: ["model", "app"] } } },
    { name: "model", _meta: { ui: { visibility: ["model"] } } },
    { name: "app", _meta: { ui: { visibility: ["app"] } } },
    { name: "odd", _meta: { ui: { visibility: "model" } } },
  ]).map(({ name }) => name)`);
  expect(names).toEqual(["both", "said", "model"]);
});

test("a tool that the server has only now is found", async () => {
  const app = await shown();
  await start(app);
  await ask(app, "tools/call", { name: "echo" });
  await host((frame) => frame.toolsChanged());
  await host((frame) => frame.resourcesChanged());
  expect(await hearing(app, "notifications/tools/list_changed")).toEqual({});
  expect(await hearing(app, "notifications/resources/list_changed")).toEqual({});
});

test("a person is asked before a tool that may change things is called, where the page wants that", async () => {
  const app = await shown({ consent: false, confirmTools: true });
  await start(app);
  const { error } = await ask(app, "tools/call", { name: "write", arguments: { text: "x" } });
  expect(error?.message).toBe("write was not called: the user declined");
  expect(await app.told("consent")).toEqual([{ kind: "tool", tool: { name: "write" }, input: { text: "x" } }]);
  await ask(app, "tools/call", { name: "echo" });
  expect(await app.told("call")).toEqual([{ name: "echo", input: {} }]);
});

test("a call that the app cancels is cancelled by the page, and gets no response", async () => {
  const app = await shown();
  await start(app);
  await app.view.evaluate(() => {
    client.post({ jsonrpc: "2.0", id: "slow-1", method: "tools/call", params: { name: "slow" } });
  });
  await app.waitFor("call");
  await app.view.evaluate(() => client.tell("notifications/cancelled", { requestId: "slow-1" }));
  await app.waitFor("aborted");
  await ask(app, "ping");
  expect(await app.view.evaluate(() => client.heard.filter((message) => message.id === "slow-1"))).toEqual([]);
});

test("an app reads resources of its server", async () => {
  const app = await shown();
  await start(app);
  const { result } = await ask(app, "resources/read", { uri: "file:///notes" });
  expect(result).toEqual({ contents: [{ uri: "file:///notes", text: "the text of file:///notes" }] });
});

test("a link is opened after a person agreed to its complete URL", async () => {
  const app = await shown({ consent: true });
  await start(app);
  expect(await ask(app, "ui/open-link", { url: "HTTPS://EXAMPLE.com/a?b=c" })).toMatchObject({ result: {} });
  expect(await app.told("consent")).toEqual([{ kind: "link", url: "https://example.com/a?b=c" }]);
  expect(await app.told("opened")).toEqual(["https://example.com/a?b=c"]);
});

test("a link is not opened if a person declines, or if it is not a web link", async () => {
  const app = await shown({ consent: false });
  await start(app);
  expect((await ask(app, "ui/open-link", { url: "https://example.com" })).result).toEqual({ isError: true });
  const urls = ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://bank.com@evil.com", "/here"];
  for (const url of urls) expect((await ask(app, "ui/open-link", { url })).error?.code).toBe(-32602);
  expect(await app.told("consent")).toHaveLength(1);
  expect(await app.told("opened")).toEqual([]);
});

test("a message is sent after a person agreed, as one block or as a list", async () => {
  const app = await shown({ consent: true });
  await start(app);
  const block = { type: "text", text: "book it" };
  expect((await ask(app, "ui/message", { role: "user", content: block })).result).toEqual({});
  expect((await ask(app, "ui/message", { role: "user", content: [block] })).result).toEqual({});
  expect(await app.told("message")).toEqual([
    { role: "user", content: [block] },
    { role: "user", content: [block] },
  ]);
  for (const params of [{ role: "assistant", content: [block] }, { role: "user" }, { role: "user", content: [{}] }])
    expect((await ask(app, "ui/message", params)).error?.code).toBe(-32602);
});

test("a person is asked one thing at a time", async () => {
  const app = await shown({ consent: null });
  await start(app);
  await app.view.evaluate(() => void client.ask("ui/open-link", { url: "https://a.example" }));
  const { error } = await ask(app, "ui/open-link", { url: "https://b.example" });
  expect(error?.message).toBe("The user is already being asked something");
  expect(await app.told("consent")).toEqual([{ kind: "link", url: "https://a.example/" }]);
});

test("consent that arrives after the app was closed opens nothing", async () => {
  const app = await shown({ consent: null });
  await start(app);
  await app.view.evaluate(() => void client.ask("ui/open-link", { url: "https://a.example" }));
  await app.waitFor("consent");
  await host((frame) => frame.teardown("closed", { patienceMs: 0 }));
  await page.evaluate(() => stageState().answer(true));
  expect(await app.told("opened")).toEqual([]);
});

test("model context of the app reaches the page", async () => {
  const app = await shown();
  await start(app);
  expect((await ask(app, "ui/update-model-context", { structuredContent: { page: 2 } })).result).toEqual({});
  expect(await app.told("model context")).toEqual([{ structuredContent: { page: 2 } }]);
});

test("an app gets a display mode that it declared and the page offers, and no other", async () => {
  const context = { availableDisplayModes: ["inline", "fullscreen"] as const };
  const app = await shown({ context, agreesToModes: true });
  await start(app, { appCapabilities: { availableDisplayModes: ["inline", "fullscreen", "pip"] } });
  expect((await ask(app, "ui/request-display-mode", { mode: "pip" })).result).toEqual({ mode: "inline" });
  expect((await ask(app, "ui/request-display-mode", { mode: "fullscreen" })).result).toEqual({ mode: "fullscreen" });
  expect(await hearing(app, "ui/notifications/host-context-changed")).toEqual({ displayMode: "fullscreen" });
  expect(await app.told("mode")).toEqual(["fullscreen"]);
  expect((await ask(app, "ui/request-display-mode", { mode: "hologram" })).error?.code).toBe(-32602);
  // Its own size counts again when it is back in its line.
  const style = () => page.evaluate("document.querySelector('iframe').style.height");
  await app.view.evaluate(() => client.tell("ui/notifications/size-changed", { height: 77 }));
  expect(await style()).toBe("100%");
  await ask(app, "ui/request-display-mode", { mode: "inline" });
  expect(await style()).toBe("77px");
});

test("an app is never shown in a mode that it did not declare", async () => {
  const app = await shown({ context: { availableDisplayModes: ["inline", "fullscreen"] }, agreesToModes: true });
  await start(app, { appCapabilities: { availableDisplayModes: ["inline"] } });
  expect((await ask(app, "ui/request-display-mode", { mode: "fullscreen" })).result).toEqual({ mode: "inline" });
  expect(await app.told("mode")).toEqual([]);
  await expect(host((frame) => frame.context({ displayMode: "fullscreen" }))).rejects.toThrow(
    "The app does not support the display mode fullscreen.",
  );
});

test("a frame is as large as its app, up to the space of its container", async () => {
  const app = await shown({ context: { containerDimensions: { maxHeight: 400, maxWidth: 500 } } });
  await start(app);
  const sizeAfter = async (size: unknown) => {
    await app.view.evaluate((size) => client.tell("ui/notifications/size-changed", size as object), size);
    await ask(app, "ping");
    return host(({ element }) => [element.offsetWidth, element.offsetHeight]);
  };
  expect(await sizeAfter({ height: 123.4, width: 200 })).toEqual([200, 124]);
  expect(await sizeAfter({ height: 1e9, width: 1e9 })).toEqual([500, 400]);
  expect(await sizeAfter({ height: 50 })).toEqual([500, 50]);
  const wrong = [{ height: -1 }, { height: "9".repeat(9) }, { width: {} }];
  for (const size of wrong) expect(await sizeAfter(size)).toEqual([500, 50]);
  await app.view.evaluate(() => client.tell("ui/notifications/size-changed", { height: Number.NaN, width: Infinity }));
  await ask(app, "ping");
  expect(await host(({ element }) => element.offsetHeight)).toBe(50);
  expect(await app.remarks()).toContain(
    "Ignored ui/notifications/size-changed: Invalid params: height must be a number of pixels",
  );
  await app.view.evaluate(() => client.tell("ui/notifications/size-changed", { height: Number.MAX_VALUE }));
  await ask(app, "ping");
  expect((await app.told("size")).at(-1)).toEqual({ height: 400, width: 500 });
});

test("a side that the page has fixed stays as it is", async () => {
  const app = await shown({ context: { containerDimensions: { height: 300, width: 320 } } });
  await start(app);
  await app.view.evaluate(() => client.tell("ui/notifications/size-changed", { height: 10, width: 10 }));
  await ask(app, "ping");
  expect(await host(({ element }) => [element.offsetWidth, element.offsetHeight])).toEqual([320, 300]);
});

test("both sides answer a ping", async () => {
  const app = await shown();
  expect(await host((frame) => frame.ping())).toBe(false);
  await start(app);
  expect((await ask(app, "ping")).result).toEqual({});
  expect(await host((frame) => frame.ping())).toBe(true);
  await app.view.evaluate(() => void (client.isPolite = false));
  expect(await host((frame) => frame.ping({ patienceMs: 50 }))).toBe(false);
});

test("an app can clean up before it is removed", async () => {
  const app = await shown();
  await start(app);
  await host((frame) => frame.teardown("the chat is closed"));
  expect(await page.locator("iframe").count()).toBe(0);
  expect(await host(({ log }) => log.find(({ method }) => method === "ui/resource-teardown")?.message)).toMatchObject({
    params: { reason: "the chat is closed" },
  });
  expect(await host(({ log }) => log.at(-1)?.from)).toBe("view");
});

test("an app that does not answer the teardown is removed, and its calls are cancelled", async () => {
  const app = await shown();
  await start(app);
  await app.view.evaluate(() => {
    client.isPolite = false;
    void client.ask("tools/call", { name: "slow" });
  });
  await app.waitFor("call");
  await host((frame) => frame.teardown("closed", { patienceMs: 50 }));
  expect(await page.locator("iframe").count()).toBe(0);
  expect(await app.told("aborted")).toEqual(["slow"]);
  await host((frame) => frame.input({}));
  expect(await app.remarks()).toContain(
    "The app did not confirm its teardown: The app did not answer ui/resource-teardown within 50 ms.",
  );
});

test("an app may ask to be closed, and the page decides", async () => {
  const app = await shown();
  await start(app);
  await app.view.evaluate(() => client.tell("ui/notifications/request-teardown", {}));
  await app.waitFor("teardown");
  await expect.poll(() => page.locator("iframe").count()).toBe(1);
});

test("unknown methods, and those of the draft, get an error", async () => {
  const app = await shown();
  await start(app);
  for (const method of ["ui/download-file", "sampling/createMessage", "tools/list", "resources/list", "toString"]) {
    const { error } = await ask(app, method);
    expect(error?.code).toBe(-32601);
    expect(error?.message).toContain(method);
  }
});

test("an error names the wrong parameter", async () => {
  const app = await shown();
  await start(app);
  expect((await ask(app, "tools/call", { name: 5 })).error).toEqual({
    code: -32602,
    message: "Invalid params: name must be a string",
  });
  expect((await ask(app, "ui/initialize", {})).error?.code).toBe(-32602);
});

test("the log has every message of both directions, and what the app logs", async () => {
  const app = await shown();
  await start(app);
  await app.view.evaluate(() => client.tell("notifications/message", { level: "info", logger: "app", data: "hello" }));
  await ask(app, "ping");
  const log = await host(({ log }) => log.map(({ from, method }) => `${from} ${method ?? "answer"}`));
  expect(log).toEqual([
    "view ui/initialize",
    "host answer",
    "view ui/notifications/initialized",
    "view notifications/message",
    "view ping",
    "host answer",
  ]);
  expect(await host(({ log }) => log[3]?.message)).toMatchObject({ params: { data: "hello" } });
});

test("the log keeps the newest messages, and drops long ones", async () => {
  const app = await shown({ limits: { messagesPerSecond: 100_000 } });
  await start(app);
  await app.view.evaluate(() => {
    for (let each = 0; each < 600; each++) client.tell("notifications/message", { level: "info", data: each });
    client.tell("notifications/message", { level: "info", data: "x".repeat(100_000) });
    return client.ask("ping", {});
  });
  const log = await host(({ log }) => log.map(({ message }) => message));
  expect(log).toHaveLength(500);
  expect(log.at(-3)).toBe("it is longer than 16384 characters");
});

test("if the sandbox cannot be loaded, opening fails and removes the frame", async () => {
  const attempt = shown({ sandbox: stage.elsewhere, limits: { openMs: 300 } });
  await expect(attempt).rejects.toThrow(`The sandbox at ${stage.elsewhere} did not answer`);
  expect(await page.locator("iframe").count()).toBe(0);
});

test("the page's own origin is no sandbox", async () => {
  await expect(shown({ sandbox: stage.origin })).rejects.toThrow("Use another origin");
});
