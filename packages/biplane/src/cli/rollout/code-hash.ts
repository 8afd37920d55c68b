import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { version } from "../../host/version.ts";
import { sourcesOf } from "../app/sources-of.ts";
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

/** The hash of the content of code, wherever it is. It covers files that are imported by relative paths, not packages. */
export async function hashOfCode({ files, texts }: RunCode): Promise<string> {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(JSON.stringify(text));
  for (const file of files) {
    const entry = resolve(file);
    const sources = (await sourcesOf(entry)).filter((path) => path === entry || isFile(path));
    for (const path of sources.toSorted())
      hash.update(JSON.stringify(relative(dirname(entry), path))).update(
        createHash("sha256")
          .update(await readFile(path))
          .digest(),
      );
  }
  return hash.digest("hex");
}

/** False for what only looks like an import, and for folders, which a module may name in a URL. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
