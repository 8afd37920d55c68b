import type { Pack } from "../../server/pack.ts";
import { BiplaneError } from "../../errors.ts";
import type { Call } from "../../tool/call.ts";
import { image, reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { ToolAnnotations } from "../../tool/tool.ts";
import { PerCaller } from "../caller/per-caller.ts";
import { createGuard } from "../net/guard.ts";
import type { GuardOptions } from "../net/guard.ts";
import { Chromium } from "./chromium.ts";
import { findChromium, findPlaywright } from "./find-chromium.ts";
import { browserDefaults } from "./options.ts";
import type { BrowserOptions } from "./options.ts";
import { showPage } from "./show-page.ts";
import { Tab } from "./tab.ts";

/** What tests put in the place of the world. */
type World = Pick<GuardOptions, "lookup">;

/**
 * A web browser for each caller, with scripts, cookies and clicks. Whatever a page asks for goes by the same rules as
 * `web_fetch`: what is not public is out of reach unless `allow` names it. Needs Chromium and `playwright-core`.
 */
export function browserPack(options: BrowserOptions = {}, world: World = {}): Pack {
  const settings = { sandbox: process.getuid?.() !== 0, ...browserDefaults, ...options };
  const { allow = [], ports, timeoutMs, maxContexts, idleMs } = settings;
  // Said here and not at the first page: whoever makes the pack can install what is missing.
  findPlaywright();
  const executablePath = findChromium(settings.executablePath);
  const guard = createGuard({ allow, timeoutMs, ...(ports && { ports }), ...world });
  const chromium = new Chromium({ ...settings, executablePath, guard });
  const tabs = new PerCaller<Tab>({
    what: "browsers",
    open: async () => Tab.open(await chromium.open(), { timeoutMs }),
    most: maxContexts,
    idleMs,
  });

  const onPage = <T>(call: Call, use: (tab: Tab) => Promise<T>): Promise<T> => {
    if (!tabs.has(call)) throw new BiplaneError("EXECUTION_ERROR", "no page is open; browser_open opens one");
    return tabs.lend(call, use);
  };

  return {
    name: "browser",
    tools: [
      tool({
        name: "browser_open",
        title: "Open a web page",
        description:
          "Open an http or https address in a browser that is yours alone and keeps its cookies between calls. Then use browser_read or browser_screenshot to see the page.",
        input: {
          type: "object",
          required: ["url"],
          properties: {
            url: { type: "string", minLength: 1, maxLength: 8192, description: "An http:// or https:// address" },
          },
        },
        output: whereSchema,
        timeoutMs: 60_000,
        annotations: moving,
        run: async (input, call) => {
          const { url } = await guard.check((input as { url: string }).url, { signal: call.signal });
          return tabs.lend(call, async (tab) => where(tab, await tab.open(url)));
        },
      }),
      tool({
        name: "browser_read",
        title: "Read the page",
        description:
          'Read the open page as text. What can be clicked or typed into stands in square brackets with its number, such as [3 link "Prices"] or [4 field "Search" = ""]. Long pages are cut; read on with offset.',
        input: {
          type: "object",
          properties: {
            offset: { type: "integer", minimum: 0, default: 0, description: "The character to begin with" },
            max_length: { type: "integer", minimum: 1, maximum: 200_000, default: 20_000 },
          },
        },
        output: {
          type: "object",
          required: ["url", "title", "content", "elements", "truncated"],
          properties: {
            url: { type: "string" },
            title: { type: "string" },
            content: { type: "string" },
            elements: { type: "array", items: { type: "object" }, description: "What can be clicked or typed into" },
            truncated: { type: "boolean" },
          },
        },
        timeoutMs: 60_000,
        annotations: looking,
        run: (input, call) => {
          const { offset = 0, max_length: length = 20_000 } = input as { offset?: number; max_length?: number };
          return onPage(call, async (tab) => showPage(await tab.read(), { url: tab.url, offset, length }));
        },
      }),
      tool({
        name: "browser_click",
        title: "Click on the page",
        description: "Click an element of the open page by the number that browser_read shows for it.",
        input: { type: "object", required: ["element"], properties: { element: elementField } },
        output: whereSchema,
        timeoutMs: 60_000,
        annotations: acting,
        run: (input, call) =>
          onPage(call, async (tab) => {
            await tab.click((input as { element: number }).element);
            return where(tab);
          }),
      }),
      tool({
        name: "browser_type",
        title: "Type on the page",
        description:
          "Replace what is in a field of the open page, or pick from a choice by its words. With submit, press Enter afterwards.",
        input: {
          type: "object",
          required: ["element", "text"],
          properties: {
            element: elementField,
            text: { type: "string", maxLength: 100_000 },
            submit: { type: "boolean", default: false },
          },
        },
        output: whereSchema,
        timeoutMs: 60_000,
        annotations: acting,
        run: (input, call) => {
          const { element, text, submit = false } = input as { element: number; text: string; submit?: boolean };
          return onPage(call, async (tab) => {
            await tab.type(element, text, { submit });
            return where(tab);
          });
        },
      }),
      tool({
        name: "browser_screenshot",
        title: "Look at the page",
        description: "A picture of the part of the open page that is in view, 1280 by 800 pixels.",
        timeoutMs: 60_000,
        annotations: looking,
        run: (_, call) => onPage(call, async (tab) => reply(image(await tab.screenshot(), "image/png"))),
      }),
      tool({
        name: "browser_back",
        title: "Go back a page",
        description: "Go back to the page that was open before.",
        output: whereSchema,
        timeoutMs: 60_000,
        annotations: moving,
        run: (_, call) =>
          onPage(call, async (tab) => {
            if (!(await tab.back())) throw new BiplaneError("EXECUTION_ERROR", "there is no page to go back to");
            return where(tab);
          }),
      }),
      tool({
        name: "browser_close",
        title: "Close the browser",
        description: "Close the page and forget its cookies. Safe to call when nothing is open.",
        output: { type: "object", required: ["closed"], properties: { closed: { type: "boolean" } } },
        timeoutMs: 30_000,
        idempotent: true,
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        run: async (_, call) => {
          const closed = await tabs.drop(call);
          return reply(text(closed ? "Closed" : "Nothing was open"), { structured: { closed } });
        },
      }),
    ],
    close: async () => {
      await tabs[Symbol.asyncDispose]();
      await chromium[Symbol.asyncDispose]();
    },
  };
}

const acting: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
const moving: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
const looking: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };

const elementField = { type: "integer", minimum: 1, description: "The number of an element, as browser_read shows it" };

const whereSchema = {
  type: "object",
  required: ["url", "title"],
  properties: {
    url: { type: "string", description: "Where the browser is now" },
    title: { type: "string" },
    status: { type: "integer", description: "The HTTP status of the page" },
  },
};

/** Where the browser has got to. */
async function where(tab: Tab, status?: number): Promise<Reply> {
  const title = await tab.title();
  const { url } = tab;
  const shown = `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}${status === undefined ? "" : `\nStatus: ${status}`}`;
  return reply(text(shown), { structured: { url, title, ...(status !== undefined && { status }) } });
}
