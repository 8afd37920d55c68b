import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";

/**
 * The module's source files: its imports, the files it names with `new URL("./page.ts", import.meta.url)`, and their
 * imports. Excludes packages. Without esbuild, returns only the module itself.
 */
export async function sourcesOf(file: string): Promise<readonly string[]> {
  const esbuild = findEsbuild();
  const found = new Set([file]);
  const isRead = new Set<string>();
  if (!esbuild) return [file];
  for (let batch = [file]; batch.length > 0;) {
    for (const each of await importsOf(esbuild, batch)) found.add(each);
    const fresh = [...found].filter((each) => isScript(each) && !isRead.has(each));
    const named = await Promise.all(fresh.map((each) => namedIn(each)));
    for (const each of fresh) isRead.add(each);
    batch = named.flat().filter((each) => !found.has(each));
    for (const each of batch) found.add(each);
    batch = batch.filter(isScript);
  }
  return [...found];
}

interface Esbuild {
  build(options: object): Promise<{ readonly metafile: { readonly inputs: Readonly<Record<string, unknown>> } }>;
}

function findEsbuild(): Esbuild | undefined {
  for (const from of [resolve("package.json"), import.meta.url]) {
    try {
      return createRequire(from)("esbuild") as Esbuild;
    } catch {
      // An optional peer, needed only to bundle app pages.
    }
  }
  return undefined;
}

async function importsOf(esbuild: Esbuild, files: readonly string[]): Promise<readonly string[]> {
  try {
    const { metafile } = await esbuild.build({
      entryPoints: files,
      bundle: true,
      write: false,
      metafile: true,
      packages: "external",
      format: "esm",
      target: "esnext",
      outdir: "out",
      logLevel: "silent",
      external: ["node:*"],
      loader: { ".svg": "empty", ".png": "empty", ".woff2": "empty", ".html": "empty", ".txt": "empty" },
    });
    return Object.keys(metafile.inputs).map((path) => resolve(path));
  } catch {
    return []; // keep watching the files known so far
  }
}

/** Finds `new URL(…)` in the source text, as bundlers do. */
async function namedIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const all = text.matchAll(/new URL\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\1\s*,\s*import\.meta\.url/g);
  return Array.from(all, ([, , path = ""]) => resolve(dirname(file), path));
}

function isScript(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file);
}
