import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const pages = [
  "README.md",
  ...readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
];

test.each(pages.filter((name) => name.endsWith(".md")))(
  "%s says what to do without the registry if it shows commands that need it",
  (name) => {
    const text = readFileSync(new URL(name, root), "utf8");
    const needsRegistry = /npx biplane|npm (install|i|exec) (@biplane\/|biplane)/.test(text);
    expect(!needsRegistry || /\bclone\b/.test(text)).toBe(true);
  },
);
