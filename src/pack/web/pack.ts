import { BiplaneError } from "../../errors.ts";
import type { Pack } from "../../server/pack.ts";
import { reply, text } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import { createGuard } from "../net/guard.ts";
import type { GuardOptions } from "../net/guard.ts";
import { parseTarget } from "../net/target.ts";
import { cutText } from "./cut-text.ts";
import { fetchPage } from "./fetch-page.ts";
import type { Page } from "./fetch-page.ts";
import type { WebOptions } from "./options.ts";
import { freshForMs, PageCache } from "./page-cache.ts";
import { PageReader } from "./page-reader.ts";
import { robotsAllow } from "./robots.ts";

/** What tests put in the place of the world. */
type World = Pick<GuardOptions, "lookup" | "now" | "wait">;

/** Reads the public web: one tool, `web_fetch`. What is not public is out of reach unless `allow` names it. */
export function webPack(options: WebOptions = {}, world: World = {}): Pack {
  const { userAgent = "Biplane/0.1 (AI assistant)", cacheSeconds = 60, robots = false } = options;
  const { now = Date.now } = world;
  const guard = createGuard({
    timeoutMs: 20_000,
    rate: { perSecond: 1, burst: 3 },
    ...options,
    ...world,
    userAgent,
  });
  const reader = new PageReader();
  const pages = new PageCache<Page>({ now, maxSize: 20_000_000 });
  const robotsTexts = new PageCache<string>({ now, maxSize: 4_000_000 });

  const keepToRobots = async (url: URL, signal: AbortSignal): Promise<void> => {
    let rules = robotsTexts.get(url.origin);
    if (rules === undefined) {
      const { status, body } = await guard.fetch(`${url.origin}/robots.txt`, { signal, maxBytes: 1_000_000 });
      // A site that cannot say what it wants is left alone; one that has no such file does not mind.
      rules = status >= 500 ? "User-agent: *\nDisallow: /" : status >= 400 ? "" : body.toString();
      robotsTexts.set(url.origin, rules, { size: rules.length + 100, forMs: 3_600_000 });
    }
    if (!robotsAllow(rules, { agent: userAgent, path: url.pathname + url.search })) {
      throw new BiplaneError("POLICY_DENIED", `the robots.txt of ${url.origin} asks programs not to fetch this`);
    }
  };

  const load = async (given: string, signal: AbortSignal): Promise<Page> => {
    const { url } = parseTarget(given);
    url.hash = "";
    const cached = pages.get(url.href);
    if (cached) return cached;
    if (robots) await keepToRobots(url, signal);
    const { page, headers } = await fetchPage(url.href, { guard, reader, signal });
    const forMs = page.status === 200 ? freshForMs(headers, cacheSeconds * 1000) : 0;
    pages.set(url.href, page, { size: page.content.length * 2 + 1000, forMs });
    return page;
  };

  return {
    name: "web",
    tools: [
      tool({
        name: "web_fetch",
        title: "Fetch a web page",
        description:
          "Fetch a public http or https address. A web page comes back as readable Markdown with its title; JSON and plain text come back as they are. Long content is cut and ends in [Content truncated].",
        input: {
          type: "object",
          required: ["url"],
          properties: {
            url: { type: "string", minLength: 1, maxLength: 8192, description: "An http:// or https:// address" },
            max_length: {
              type: "integer",
              minimum: 1,
              maximum: 1_000_000,
              default: 50_000,
              description: "The most characters of content to give back",
            },
          },
        },
        output: {
          type: "object",
          required: ["url", "status", "content_type", "content", "truncated"],
          properties: {
            url: { type: "string", description: "Where the content came from, after redirects" },
            status: { type: "integer" },
            content_type: { type: "string" },
            title: { type: "string" },
            content: { type: "string" },
            truncated: { type: "boolean" },
          },
        },
        timeoutMs: 30_000,
        idempotent: true,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async (input, { signal }) => {
          const { url, max_length = 50_000 } = input as { url: string; max_length?: number };
          return shown(await load(url, signal), max_length);
        },
      }),
    ],
    close: () => reader[Symbol.asyncDispose](),
  };
}

function shown(page: Page, maxLength: number) {
  const { url, status, contentType, title } = page;
  const { text: content, isCut } = cutText(page.content, maxLength);
  const head = title === undefined ? "" : `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}\n\n`;
  const tail = isCut ? "\n\n[Content truncated]" : "";
  const known = title === undefined ? {} : { title };
  return reply(text(head + content + tail), {
    structured: { url, status, content_type: contentType, ...known, content, truncated: isCut },
  });
}
