import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { root } from "../.vitepress/repository.ts";
import { guide } from "../.vitepress/sidebar.ts";
import { isInSite, readPages } from "./built-site.ts";

interface BuiltPage {
  readonly title: string;
  readonly headings: number;
  readonly ids: ReadonlySet<string>;
  /** Of the page's text and its navigation. */
  readonly links: readonly string[];
}

const pages = new Map(Array.from(readPages(), ([path, html]) => [path, readPage(html)] as const));

test("every link leads to a page, and to an anchor that it has", () => {
  const dead = Array.from(pages).flatMap(([path, { links }]) =>
    links.filter((link) => !leadsSomewhere(path, link)).map((link) => `${path}: ${link}`),
  );
  expect(dead).toEqual([]);
});

test("every page has a title and one heading of the first level", () => {
  const untitled = Array.from(pages)
    .filter(([path]) => path !== "404")
    .filter(([, { title, headings }]) => title === "" || headings !== 1);
  expect(untitled.map(([path]) => path)).toEqual([]);
});

test("no two pages have the same title", () => {
  const titles = Array.from(pages.values(), ({ title }) => title);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test("the navigation has every document", () => {
  const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.replace(/\.md$/, ""));
  const shown = new Set(guide.flatMap((section) => Object.keys(section.pages)));
  expect(documents.filter((name) => !shown.has(name))).toEqual([]);
});

function readPage(html: string): BuiltPage {
  const { document } = parseHTML(html);
  const attributes = (selector: string, name: string) =>
    Array.from(document.querySelectorAll(selector), (element) => element.getAttribute(name) ?? "");
  return {
    title: document.querySelector("title")?.textContent ?? "",
    headings: document.querySelectorAll("h1").length,
    ids: new Set(attributes("[id]", "id")),
    links: [...attributes("a[href]", "href"), ...attributes("img[src]", "src")],
  };
}

function leadsSomewhere(from: string, link: string): boolean {
  if (/^(https?|mailto|data):/.test(link)) return true;
  const { pathname, hash } = new URL(link, `http://site/${from}`);
  const path = decodeURIComponent(pathname).replace(/^\//, "");
  const page = pages.get(path);
  if (!page) return path !== "" && isInSite(path);
  return hash === "" || page.ids.has(decodeURIComponent(hash.slice(1)));
}
