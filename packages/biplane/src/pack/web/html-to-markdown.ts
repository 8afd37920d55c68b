import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";

/** The title of a page and its content as Markdown. */
export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
}

/** The DOM members used here. */
interface Element {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: Element | null;
  readonly children: Iterable<Element>;
  readonly firstElementChild: Element | null;
  readonly nextElementSibling: Element | null;
  readonly previousElementSibling: Element | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  remove(): void;
}

/**
 * Converts a page to Markdown: its main article, or everything except navigation. A hostile page can make this slow, so
 * run it in a worker.
 */
export function htmlToMarkdown(html: string, url: string): ReadablePage {
  const document = documentOf(html);
  const title = lineOf(document.querySelector("title") ?? document.querySelector("h1"));
  for (const stray of document.querySelectorAll("body title")) stray.remove();
  const whole = bodyOf(document)?.textContent?.length ?? 0;
  const article = new Readability<Element>(document as never, {
    disableJSONLD: true,
    serializer: (node) => node as unknown as Element,
  }).parse();
  const found = article?.content && isMainContent(article.length ?? 0, whole) ? article.content : undefined;
  const converter = markdownWriter(baseOf(document, url));
  return {
    title: (article?.title ?? "").trim() || title,
    markdown: converter.turndown((found ?? everythingOf(html) ?? "") as string).trim(),
  };
}

function documentOf(html: string): Element {
  // linkedom does not add a missing body.
  const markup = /<body[\s>]/i.test(html.slice(0, 100_000)) ? html : `<!doctype html><html><body>${html}</body></html>`;
  const { document } = parseHTML(markup) as unknown as { document: Element };
  rejectDeepNesting(document);
  for (const element of document.querySelectorAll(ignored)) element.remove();
  return document;
}

/** Rejects deep nesting, whose processing time is at least quadratic. */
function rejectDeepNesting(document: Element): void {
  let depth = 0;
  let at: Element | null = document;
  while (at) {
    if (at.firstElementChild) {
      if (++depth > deepest) throw new RangeError("nested too deeply");
      at = at.firstElementChild;
      continue;
    }
    while (at && !at.nextElementSibling) {
      at = at.parentNode;
      depth--;
    }
    at = at?.nextElementSibling ?? null;
  }
}

const deepest = 250;

/** Readability modifies the document, so the page is parsed again. */
function everythingOf(html: string): Element | null {
  const document = documentOf(html);
  for (const element of document.querySelectorAll(nonContent)) element.remove();
  return document.querySelector("main, [role=main]") ?? bodyOf(document);
}

const ignored = "script, style, noscript, template, iframe, object, svg, canvas, link, meta[http-equiv]";
const nonContent =
  "title, nav, footer, aside, form, button, dialog, [hidden], [aria-hidden=true], [style*='display:none'], [style*='display: none']";

/** A short article on a long page is probably a teaser in a list. */
function isMainContent(length: number, whole: number): boolean {
  return length >= 200 && length >= whole * 0.15;
}

function bodyOf(document: Element): Element | null {
  return document.querySelector("body");
}

function baseOf(document: Element, url: string): string {
  const given = document.querySelector("base")?.getAttribute("href") ?? "";
  return URL.canParse(given, url) ? new URL(given, url).href : url;
}

function markdownWriter(base: string): TurndownService {
  const counters = new WeakMap<Element, number>();
  const writer = new TurndownService({
    headingStyle: "atx",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    hr: "---",
  });
  writer.addRule("link", {
    filter: (node) => node.nodeName === "A",
    replacement: (content, node) => {
      const address = resolved(node as Element, "href", base);
      const shown = content.trim().replaceAll(/\s*\n\s*/g, " ");
      return address === undefined || shown === "" ? content : `[${shown}](${address})`;
    },
  });
  writer.addRule("picture", {
    filter: (node) => node.nodeName === "IMG",
    replacement: (_, node) => {
      const address = resolved(node as Element, "src", base);
      const shown = ((node as Element).getAttribute("alt") ?? "").replaceAll(/[[\]\s]+/g, " ").trim();
      return address === undefined ? shown : `![${shown}](${address})`;
    },
  });
  writer.addRule("item", {
    filter: "li",
    replacement: (content, node) => {
      const marker = markerOf(node as Element, counters);
      return `${marker}${content.trim().replaceAll("\n", `\n${" ".repeat(marker.length)}`)}\n`;
    },
  });
  writer.addRule("cell", {
    filter: ["td", "th"],
    replacement: (content) =>
      ` ${content
        .trim()
        .replaceAll("|", "\\|")
        .replaceAll(/\s*\n\s*/g, " ")} |`,
  });
  writer.addRule("row", {
    filter: "tr",
    replacement: (content, node) => {
      const row = `\n|${content}`;
      return isFirstRow(node as Element) ? `${row}\n|${" --- |".repeat([...(node as Element).children].length)}` : row;
    },
  });
  writer.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  writer.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  return writer;
}

/** Resolves a link. Only http, https and mailto URLs are kept. */
function resolved(element: Element, attribute: string, base: string): string | undefined {
  const given = element.getAttribute(attribute)?.trim() ?? "";
  if (given === "" || given.length > 2000 || !URL.canParse(given, base)) return undefined;
  const { protocol, href } = new URL(given, base);
  return /^(https?|mailto):$/.test(protocol) ? href.replaceAll("(", "%28").replaceAll(")", "%29") : undefined;
}

/** Items arrive in order, so counting them gives their numbers. */
function markerOf(item: Element, counters: WeakMap<Element, number>): string {
  const list = item.parentNode;
  if (list?.nodeName !== "OL") return "- ";
  const number = counters.get(list) ?? (Number(list.getAttribute("start") ?? 1) || 1);
  counters.set(list, number + 1);
  return `${number}. `;
}

function isFirstRow(row: Element): boolean {
  const group = row.parentNode;
  if (row.previousElementSibling || !group) return false;
  return group.nodeName === "THEAD" || group.nodeName === "TABLE" || !group.previousElementSibling;
}

function lineOf(element: Element | null): string {
  return (element?.textContent ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 500);
}
