import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../.vitepress/repository.ts";

/** What a program can import: `biplane`, `biplane/client`, … */
export interface Entry {
  readonly specifier: string;
  /** Its built declarations. */
  readonly file: string;
  /** Its page in the reference, without a suffix. */
  readonly page: string;
}

/** The public entries of `biplane`, as its manifest lists them. */
export function entriesOfBiplane(): Entry[] {
  return Object.keys(exportsOf("biplane"))
    .filter((path) => path !== "./package.json")
    .map((path) => join("biplane", path))
    .map((specifier) => ({ specifier, file: declarationsOf(specifier), page: pageName(specifier) }));
}

/** The declarations of an entry of one of our packages, or of a file beside `from`. Undefined for other packages. */
export function resolveDeclarations(specifier: string, from: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(from), specifier.replace(/\.[jt]s$/, ".d.ts"));
  return specifier.startsWith("@biplane/") ? declarationsOf(specifier) : undefined;
}

function declarationsOf(specifier: string): string {
  const [, name = "", path = ""] = /^(?:@biplane\/)?([^/]+)(.*)$/.exec(specifier) ?? [];
  const types = exportsOf(name)[`.${path}`]?.types ?? "";
  const file = join(root, "packages", name, types);
  if (types === "" || !existsSync(file))
    throw new Error(`${specifier} has no declarations at ${file}. Run npm run build first.`);
  return file;
}

function exportsOf(name: string): Record<string, { readonly types?: string }> {
  const text = readFileSync(join(root, "packages", name, "package.json"), "utf8");
  return (JSON.parse(text) as { exports: Record<string, { types?: string }> }).exports;
}

function pageName(specifier: string): string {
  return specifier.replace(/^biplane\//, "").replaceAll("/", "-");
}
