import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";

/** A page as a reader wants it: its title, and what it says in Markdown. */
export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
}

/** The part of an element that is used here. */
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
 * Turns a page into Markdown: the article where there is one, else all that is not navigation. Takes as long as the
 * page makes it take, so it runs where it can be stopped.
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
  const found = article?.content && isWorthIt(article.length ?? 0, whole) ? article.content : undefined;
  const converter = markdownWriter(baseOf(document, url));
  return {
    title: (article?.title ?? "").trim() || title,
    markdown: converter.turndown((found ?? everythingOf(html) ?? "") as string).trim(),
  };
}

function documentOf(html: string): Element {
  // linkedom only makes a body where something asks for one.
  const markup = /<body[\s>]/i.test(html.slice(0, 100_000)) ? html : `<!doctype html><html><body>${html}</body></html>`;
  const { document } = parseHTML(markup) as unknown as { document: Element };
  refuseDepth(document);
  for (const element of document.querySelectorAll(noText)) element.remove();
  return document;
}

/** What is nested thousands deep was not made by anyone who wants it read, and costs its depth squared and more. */
function refuseDepth(document: Element): void {
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

/** Readability takes the page apart; what it leaves is of no use, so the page is read a second time. */
function everythingOf(html: string): Element | null {
  const document = documentOf(html);
  for (const element of document.querySelectorAll(aroundTheText)) element.remove();
  return document.querySelector("main, [role=main]") ?? bodyOf(document);
}

const noText = "script, style, noscript, template, iframe, object, svg, canvas, link, meta[http-equiv]";
const aroundTheText =
  "title, nav, footer, aside, form, button, dialog, [hidden], [aria-hidden=true], [style*='display:none'], [style*='display: none']";

/** An article that is a small part of a long page is more likely a teaser in a list. */
function isWorthIt(length: number, whole: number): boolean {
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
  const places = new WeakMap<Element, number>();
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
      const marker = markerOf(node as Element, places);
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

/** Addresses that a reader could follow, made whole; what runs code or holds its own data is none. */
function resolved(element: Element, attribute: string, base: string): string | undefined {
  const given = element.getAttribute(attribute)?.trim() ?? "";
  if (given === "" || given.length > 2000 || !URL.canParse(given, base)) return undefined;
  const { protocol, href } = new URL(given, base);
  return /^(https?|mailto):$/.test(protocol) ? href.replaceAll("(", "%28").replaceAll(")", "%29") : undefined;
}

/** Items come in their order, so counting them is enough. */
function markerOf(item: Element, places: WeakMap<Element, number>): string {
  const list = item.parentNode;
  if (list?.nodeName !== "OL") return "- ";
  const place = places.get(list) ?? (Number(list.getAttribute("start") ?? 1) || 1);
  places.set(list, place + 1);
  return `${place}. `;
}

function isFirstRow(row: Element): boolean {
  const group = row.parentNode;
  if (row.previousElementSibling || !group) return false;
  return group.nodeName === "THEAD" || group.nodeName === "TABLE" || !group.previousElementSibling;
}

function lineOf(element: Element | null): string {
  return (element?.textContent ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 500);
}
