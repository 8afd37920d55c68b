import { BiplaneError, image, reply } from "@biplane/core";
import type { Call, Pack, Reply } from "@biplane/core";
import { boolean, object, record, text } from "../../schema/builders.ts";
import { PerCaller } from "../shared/caller/per-caller.ts";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { Chromium } from "./chromium.ts";
import { findChromium, findPlaywright } from "./find-chromium.ts";
import { browserOptions } from "./options.ts";
import type { BrowserOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { allOptional, packTool, textReply } from "../shared/pack-tool.ts";
import { shortenTitle, showPage } from "./show-page.ts";
import { Tab } from "./tab.ts";

/**
 * A web browser per caller, with scripts and cookies. Non-public hosts are rejected unless `allow` lists them. Needs
 * Chromium and `playwright-core`.
 */
export function browserPack(options: BrowserOptions = {}, overrides: NetworkOverrides = {}): Pack {
  const settings = {
    sandbox: process.getuid?.() !== 0,
    ...readOptions(options, { pack: "browserPack", schema: browserOptions }),
  };
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
      packTool({
        ...navigating,
        name: "browser_open",
        title: "Open a web page",
        description:
          "Open an http or https URL in your own browser, which keeps its cookies between calls. Then use browser_read or browser_screenshot to see the page.",
        input: object({
          url: { type: "string", minLength: 1, maxLength: 8192, description: "An http:// or https:// URL" },
        }),
        output: pageSchema,
        run: async (input, call) => {
          const { url } = await guard.check(input.url, { signal: call.signal });
          return tabs.use(call, async (tab) => pageReply(tab, call, await tab.open(url)));
        },
      }),
      packTool({
        ...viewing,
        name: "browser_read",
        title: "Read the page",
        description:
          'Read the open page as text. Elements you can click or type into are in square brackets with their number, such as [3 link "Prices"] or [4 field "Search" = ""]. Long pages are truncated; continue with offset.',
        input: allOptional({
          offset: { type: "integer", minimum: 0, default: 0, description: "The first character to return, 0-based" },
          max_length: { type: "integer", minimum: 1, maximum: 200_000, default: 20_000 },
        }),
        output: object({
          url: text,
          title: text,
          content: text,
          elements: { type: "array", items: record, description: "The elements you can click or type into" },
          truncated: boolean,
        }),
        run: ({ offset, max_length: length }, call) =>
          onPage(call, async (tab) => showPage(await tab.read(), { url: tab.url, offset, length, call })),
      }),
      packTool({
        ...interacting,
        name: "browser_click",
        title: "Click on the page",
        description: "Click an element of the open page by its number from browser_read.",
        input: object({ element: elementField }),
        output: pageSchema,
        run: ({ element }, call) =>
          onPage(call, async (tab) => {
            await tab.click(element);
            return pageReply(tab, call);
          }),
      }),
      packTool({
        ...interacting,
        name: "browser_type",
        title: "Type on the page",
        description:
          "Replace the content of a field on the open page, or select an option by its label. With submit, press Enter afterwards.",
        input: object(
          { element: elementField, text: { type: "string", maxLength: 100_000 } },
          { submit: { type: "boolean", default: false } },
        ),
        output: pageSchema,
        run: ({ element, text, submit }, call) =>
          onPage(call, async (tab) => {
            await tab.type(element, text, { submit });
            return pageReply(tab, call);
          }),
      }),
      packTool({
        ...viewing,
        name: "browser_screenshot",
        title: "Look at the page",
        description: "Take a screenshot of the visible part of the open page, 1280 by 800 pixels.",
        run: (_, call) => onPage(call, async (tab) => reply(image(await tab.screenshot(), "image/png"))),
      }),
      packTool({
        ...navigating,
        name: "browser_back",
        title: "Go back a page",
        description: "Go back to the previous page.",
        output: pageSchema,
        run: (_, call) =>
          onPage(call, async (tab) => {
            if (!(await tab.back())) throw new BiplaneError("EXECUTION_ERROR", "There is no previous page.");
            return pageReply(tab, call);
          }),
      }),
      packTool({
        name: "browser_close",
        title: "Close the browser",
        description: "Close the page and delete its cookies. Does nothing if no page is open.",
        output: object({ closed: boolean }),
        idempotent: true,
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        run: async (_, call) => {
          const closed = await tabs.drop(call);
          return textReply(closed ? "Closed." : "No page was open.", { closed });
        },
      }),
    ],
    close: async () => {
      await tabs[Symbol.asyncDispose]();
      await chromium[Symbol.asyncDispose]();
    },
  };
}

const timeoutMs = 60_000;
const interacting = {
  timeoutMs,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
} as const;
const navigating = {
  timeoutMs,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
} as const;
const viewing = { timeoutMs, annotations: { readOnlyHint: true, openWorldHint: true } } as const;

const elementField = {
  type: "integer",
  minimum: 1,
  description: "The element's number, as shown by browser_read",
} as const;

const pageSchema = object(
  { url: { type: "string", description: "The current URL" }, title: text },
  { status: { type: "integer", description: "The HTTP status of the page" } },
);

/** The current page as a reply. */
async function pageReply(tab: Tab, call: Call, status?: number): Promise<Reply> {
  const title = shortenTitle(await tab.title(), call);
  const { url } = tab;
  const shown = `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}${status === undefined ? "" : `\nStatus: ${status}`}`;
  return textReply(shown, { url, title, ...(status !== undefined && { status }) });
}
