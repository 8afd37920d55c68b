import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const documents = ["README.md", ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map(inDocs)];

test.each(documents.filter((file) => file.endsWith(".md")))("every link of %s leads somewhere", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, "");
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link);
  const broken = links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(file, link));
  expect(broken).toEqual([]);
});

function inDocs(file: string): string {
  return join("docs", file);
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? join(root, from) : join(root, dirname(from), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || headings(readFileSync(target, "utf8")).includes(anchor);
}

/** The anchors that GitHub gives the headings of a document. */
function headings(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
