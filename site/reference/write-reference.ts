import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../.vitepress/repository.ts";
import { entriesOfBiplane } from "./entries.ts";
import { entryPage, indexPage } from "./reference-pages.ts";
import type { EntryExports } from "./reference-pages.ts";
import { readExports } from "./read-exports.ts";

/** Writes a page for each public entry of `biplane`, from its built types. The pages are not committed. */
export function writeReference(): void {
  const all = readReference();
  const folder = join(root, "site", "reference");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.md"), indexPage(all));
  for (const each of all) writeFileSync(join(folder, `${each.entry.page}.md`), entryPage(each, all));
}

/** Every entry with what it exports, by name. */
export function readReference(): EntryExports[] {
  return entriesOfBiplane().map((entry) => ({
    entry,
    exports: [...readExports(entry.file).values()].sort((one, other) => one.name.localeCompare(other.name, "en")),
  }));
}
