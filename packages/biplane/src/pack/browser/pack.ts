import type { Call, Pack, Reply, ToolAnnotations } from "@biplane/core";
import { BiplaneError, image, reply, text, tool } from "@biplane/core";
import { PerCaller } from "../shared/caller/per-caller.ts";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { NetworkGuardOptions } from "../shared/net/network-guard.ts";
import { Chromium } from "./chromium.ts";
import { findChromium, findPlaywright } from "./find-chromium.ts";
import { browserOptions } from "./options.ts";
import type { BrowserOptions } from "./options.ts";
import { optionsReader } from "../shared/options.ts";
import { showPage } from "./show-page.ts";
import { Tab } from "./tab.ts";

const readOptions = optionsReader("browserPack", browserOptions);

/** Replaces the network in tests. */
type NetworkOverrides = Pick<NetworkGuardOptions, "lookup">;

/**
 * A web browser per caller, with scripts and cookies. Non-public hosts are rejected unless `allow` lists them. Needs
 * Chromium and `playwright-core`.
 */
export function browserPack(options: BrowserOptions = {}, overrides: NetworkOverrides = {}): Pack {
  const settings = { sandbox: process.getuid?.() !== 0, ...readOptions(options) };
  const { allow, ports, timeoutMs, maxContexts, idleMs } = settings;
  // Report missing software now, not at the first page.
  findPlaywright();
  const executablePath = findChromium(settings.executablePath);
  const guard = createNetworkGuard({ allow, timeoutMs, ...(ports && { ports }), ...overrides });
  const chromium = new Chromium({ ...settings, executablePath, guard });
  const tabs = new PerCaller<Tab>({
    what: "browsers",
    open: async () => Tab.open(await chromium.open(), { timeoutMs }),
    maxEntries: maxContexts,
    idleMs,
  });

  const onPage = <T>(call: Call, use: (tab: Tab) => Promise<T>): Promise<T> => {
    if (!tabs.has(call)) throw new BiplaneError("EXECUTION_ERROR", "No page is open. Open one with browser_open.");
    return tabs.use(call, use);
  };

  return {
    name: "browser",
    tools: [
      tool({
        name: "browser_open",
        title: "Open a web page",
        description:
          "Open an http or https URL in your own browser, which keeps its cookies between calls. Then use browser_read or browser_screenshot to see the page.",
        input: {
          type: "object",
          required: ["url"],
          properties: {
            url: { type: "string", minLength: 1, maxLength: 8192, description: "An http:// or https:// URL" },
          },
        },
        output: pageSchema,
        timeoutMs: 60_000,
        annotations: navigating,
        run: async (input, call) => {
          const { url } = await guard.check((input as { url: string }).url, { signal: call.signal });
          return tabs.use(call, async (tab) => pageReply(tab, await tab.open(url)));
        },
      }),
      tool({
        name: "browser_read",
        title: "Read the page",
        description:
          'Read the open page as text. Elements you can click or type into are in square brackets with their number, such as [3 link "Prices"] or [4 field "Search" = ""]. Long pages are truncated; continue with offset.',
        input: {
          type: "object",
          properties: {
            offset: { type: "integer", minimum: 0, default: 0, description: "The first character to return, 0-based" },
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
            elements: {
              type: "array",
              items: { type: "object" },
              description: "The elements you can click or type into",
            },
            truncated: { type: "boolean" },
          },
        },
        timeoutMs: 60_000,
        annotations: viewing,
        run: (input, call) => {
          const { offset = 0, max_length: length = 20_000 } = input as { offset?: number; max_length?: number };
          return onPage(call, async (tab) => showPage(await tab.read(), { url: tab.url, offset, length }));
        },
      }),
      tool({
        name: "browser_click",
        title: "Click on the page",
        description: "Click an element of the open page by its number from browser_read.",
        input: { type: "object", required: ["element"], properties: { element: elementField } },
        output: pageSchema,
        timeoutMs: 60_000,
        annotations: interacting,
        run: (input, call) =>
          onPage(call, async (tab) => {
            await tab.click((input as { element: number }).element);
            return pageReply(tab);
          }),
      }),
      tool({
        name: "browser_type",
        title: "Type on the page",
        description:
          "Replace the content of a field on the open page, or select an option by its label. With submit, press Enter afterwards.",
        input: {
          type: "object",
          required: ["element", "text"],
          properties: {
            element: elementField,
            text: { type: "string", maxLength: 100_000 },
            submit: { type: "boolean", default: false },
          },
        },
        output: pageSchema,
        timeoutMs: 60_000,
        annotations: interacting,
        run: (input, call) => {
          const { element, text, submit = false } = input as { element: number; text: string; submit?: boolean };
          return onPage(call, async (tab) => {
            await tab.type(element, text, { submit });
            return pageReply(tab);
          });
        },
      }),
      tool({
        name: "browser_screenshot",
        title: "Look at the page",
        description: "Take a screenshot of the visible part of the open page, 1280 by 800 pixels.",
        timeoutMs: 60_000,
        annotations: viewing,
        run: (_, call) => onPage(call, async (tab) => reply(image(await tab.screenshot(), "image/png"))),
      }),
      tool({
        name: "browser_back",
        title: "Go back a page",
        description: "Go back to the previous page.",
        output: pageSchema,
        timeoutMs: 60_000,
        annotations: navigating,
        run: (_, call) =>
          onPage(call, async (tab) => {
            if (!(await tab.back())) throw new BiplaneError("EXECUTION_ERROR", "There is no previous page.");
            return pageReply(tab);
          }),
      }),
      tool({
        name: "browser_close",
        title: "Close the browser",
        description: "Close the page and delete its cookies. Does nothing if no page is open.",
        output: { type: "object", required: ["closed"], properties: { closed: { type: "boolean" } } },
        timeoutMs: 30_000,
        idempotent: true,
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        run: async (_, call) => {
          const closed = await tabs.drop(call);
          return reply(text(closed ? "Closed." : "No page was open."), { structured: { closed } });
        },
      }),
    ],
    close: async () => {
      await tabs[Symbol.asyncDispose]();
      await chromium[Symbol.asyncDispose]();
    },
  };
}

const interacting: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
const navigating: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
const viewing: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };

const elementField = { type: "integer", minimum: 1, description: "The element's number, as shown by browser_read" };

const pageSchema = {
  type: "object",
  required: ["url", "title"],
  properties: {
    url: { type: "string", description: "The current URL" },
    title: { type: "string" },
    status: { type: "integer", description: "The HTTP status of the page" },
  },
};

/** The current page as a reply. */
async function pageReply(tab: Tab, status?: number): Promise<Reply> {
  const title = await tab.title();
  const { url } = tab;
  const shown = `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}${status === undefined ? "" : `\nStatus: ${status}`}`;
  return reply(text(shown), { structured: { url, title, ...(status !== undefined && { status }) } });
}
