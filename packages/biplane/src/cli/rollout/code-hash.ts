import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { version } from "../../host/version.ts";
import { writtenTarget } from "./rollout-target.ts";
import type { RunSettings } from "./rollout-target.ts";

/** The code that a run needs where it is played. */
export interface RunCode {
  /** Modules, whose imports count too, and other files. */
  readonly files: readonly string[];
  /** What else decides what runs. */
  readonly texts: readonly string[];
}

/** The code that settings name. Undefined if nothing is loaded: the environment is a URL and the agent built in. */
export function codeOf(settings: RunSettings): RunCode | undefined {
  const { agent } = settings;
  const files: string[] = [];
  const texts: string[] = [];
  const target = writtenTarget(settings);
  if ("file" in target) files.push(target.file);
  else if (target.kind === "command") texts.push(JSON.stringify([target.command, ...target.args]));
  else if (target.kind !== "url") texts.push(target.name);
  if (typeof agent === "string" && agent.startsWith("playback:")) files.push(agent.slice("playback:".length));
  else if (typeof agent === "string" && /[./\\]/.test(agent)) files.push(agent);
  return files.length + texts.length === 0 ? undefined : { files, texts: [version, ...texts] };
}

/**
 * The hash of the content of code, wherever it is. It covers files that are imported by relative paths, not packages.
 * Imports are found in the text: a bundler is an optional package, and a hash must not depend on it.
 */
export async function hashOfCode({ files, texts }: RunCode): Promise<string> {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(JSON.stringify(text));
  for (const file of files) {
    const entry = resolve(file);
    const contents = await readSources(entry);
    for (const path of [...contents.keys()].sort())
      hash.update(JSON.stringify(relative(dirname(entry), path))).update(
        createHash("sha256")
          .update(contents.get(path) ?? "")
          .digest(),
      );
  }
  return hash.digest("hex");
}

async function readSources(entry: string): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const paths = [entry]; paths.length > 0;) {
    const path = paths.pop() as string;
    if (contents.has(path)) continue;
    const content = await readFile(path);
    contents.set(path, content);
    if (isScript(path)) paths.push(...importsIn(path, content.toString("utf8")));
  }
  return contents;
}

/** Files that a module names after `from`, `import`, `import(`, `require(` or `new URL(`. */
function importsIn(path: string, text: string): string[] {
  const named = text.matchAll(/(?:\bfrom|\bimport|\brequire|\bURL)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`$\n]+)\1/g);
  return Array.from(named, ([, , name = ""]) => fileNamed(resolve(dirname(path), name))).flatMap((each) => each ?? []);
}

/** TypeScript may be imported as the JavaScript that it becomes, and without an extension. */
function fileNamed(path: string): string | undefined {
  const stem = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  const endings = ["", ".ts", ".tsx", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
  return [path, stem, ...endings.map((ending) => path + ending)].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  );
}

function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) || !/\.\w+$/.test(path);
}
