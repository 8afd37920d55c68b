import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * The files of a module: what it names after `from`, `import`, `import(`, `require(` or `new URL(`, and what those files
 * name. Packages are left out, and files that do not exist are not. Names are found in the text, so that it needs no
 * bundler and works on a module with mistakes.
 */
export async function sourcesOf(module: string): Promise<readonly string[]> {
  const files = new Set([module]);
  // What is added here is visited, too.
  for (const file of files) {
    const text = isScript(file) ? await readFile(file, "utf8").catch(() => "") : "";
    const named = text.matchAll(/(?:\bfrom|\bimport|\brequire|\bURL)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`$\n]+)\1/g);
    for (const [, , name = ""] of named) files.add(fileNamed(resolve(dirname(file), name)));
  }
  return [...files];
}

/** TypeScript may be imported as the JavaScript that it becomes, and without an extension. */
function fileNamed(path: string): string {
  const stem = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  const endings = ["", ".ts", ".tsx", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
  const candidates = [path, stem, ...endings.map((ending) => path + ending)];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile()) ?? path;
}

function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) || !/\.\w+$/.test(path);
}
