import { BiplaneError } from "@biplane/core";
import type { Call, Pack } from "@biplane/core";
import { boolean, integer, object, text } from "../../schema/builders.ts";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { openCassette } from "../shared/net/open-cassette.ts";
import { parseRequestUrl } from "../shared/net/request-target.ts";
import { truncateText } from "./truncate-text.ts";
import { fetchPage } from "./fetch-page.ts";
import type { FetchedPage } from "./fetch-page.ts";
import { webOptions } from "./options.ts";
import type { WebOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { packTool, textReply } from "../shared/pack-tool.ts";
import { freshForMs, PageCache } from "./page-cache.ts";
import { pageReader } from "./page-reader.ts";
import { robotsAllow } from "./robots.ts";

/** The tool `web_fetch`, which reads public web pages. Non-public hosts are rejected unless `allow` lists them. */
export function webPack(options: WebOptions = {}, overrides: NetworkOverrides = {}): Pack {
  const { cacheSeconds, robots, record, cassette, ...network } = readOptions(options, {
    pack: "webPack",
    schema: webOptions,
  });
  const { userAgent } = network;
  const { now = Date.now } = overrides;
  const guard = createNetworkGuard({ ...network, ...overrides, cassette: openCassette("web", { record, cassette }) });
  const reader = pageReader();
  const pages = new PageCache<FetchedPage>({ now, maxSize: 20_000_000 });
  const robotsTexts = new PageCache<string>({ now, maxSize: 4_000_000 });

  const requireRobotsPermission = async (url: URL, signal: AbortSignal): Promise<void> => {
    let rules = robotsTexts.get(url.origin);
    if (rules === undefined) {
      const { status, body } = await guard.fetch(`${url.origin}/robots.txt`, { signal, maxBytes: 1_000_000 });
      // A server error disallows everything. A missing robots.txt allows everything.
      rules = status >= 500 ? "User-agent: *\nDisallow: /" : status >= 400 ? "" : body.toString();
      robotsTexts.set(url.origin, rules, { size: rules.length + 100, forMs: 3_600_000 });
    }
    if (!robotsAllow(rules, { agent: userAgent, path: url.pathname + url.search })) {
      throw new BiplaneError("POLICY_DENIED", `The robots.txt of ${url.origin} disallows fetching this URL.`);
    }
  };

  const load = async (given: string, call: Call): Promise<FetchedPage> => {
    const { url } = parseRequestUrl(given);
    url.hash = "";
    const cached = pages.get(url.href);
    if (cached) return cached;
    if (robots) await requireRobotsPermission(url, call.signal);
    const { page, headers } = await fetchPage(url.href, { guard, reader, call });
    const forMs = page.status === 200 ? freshForMs(headers, cacheSeconds * 1000) : 0;
    pages.set(url.href, page, { size: page.content.length * 2 + 1000, forMs });
    return page;
  };

  return {
    name: "web",
    tools: [
      packTool({
        name: "web_fetch",
        title: "Fetch a web page",
        description:
          "Fetch a public http or https URL. Web pages are returned as Markdown with their title, JSON and plain text unchanged. Long content is truncated and ends with [Content truncated].",
        input: object(
          { url: { type: "string", minLength: 1, maxLength: 8192, description: "An http:// or https:// URL" } },
          {
            max_length: {
              type: "integer",
              minimum: 1,
              maximum: 1_000_000,
              default: 50_000,
              description: "Maximum number of characters to return",
            },
          },
        ),
        output: object(
          {
            url: { type: "string", description: "The final URL, after redirects" },
            status: integer,
            content_type: text,
            content: text,
            truncated: boolean,
          },
          { title: text },
        ),
        idempotent: true,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async ({ url, max_length: maxLength }, call) => shown(await load(url, call), maxLength, call),
      }),
    ],
    close: () => reader[Symbol.asyncDispose](),
  };
}

function shown(page: FetchedPage, maxLength: number, call: Call) {
  const { url, status, contentType, title } = page;
  const { text: content, isCut } = truncateText(call.redact(page.content), maxLength);
  const head = title === undefined ? "" : `${title === "" ? "" : `Title: ${title}\n`}URL: ${url}\n\n`;
  const tail = isCut ? "\n\n[Content truncated]" : "";
  const known = title === undefined ? {} : { title };
  const structured = { url, status, content_type: contentType, ...known, content, truncated: isCut };
  return textReply(head + content + tail, structured);
}
