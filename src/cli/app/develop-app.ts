import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { BiplaneError } from "../../errors.ts";
import type { FoundModule } from "./find-module.ts";
import { watchSources } from "./watch-sources.ts";
import type { SourceWatch } from "./watch-sources.ts";
import { WorkbenchRow } from "./workbench-row.ts";

export interface DevelopOptions {
  readonly module: FoundModule;
  readonly url: string;
}

/** Serves a module, and each new state of it as soon as that can be loaded, until somebody presses Ctrl-C. */
export async function developApp({ module, url }: DevelopOptions): Promise<void> {
  const kept = await mkdtemp(join(tmpdir(), "biplane-app-"));
  const lines = createInterface({ input: process.stdin });
  try {
    const refused = new AbortController();
    const stopped = new Promise<void>((resolve, reject) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
      refused.signal.addEventListener("abort", () => reject(refused.signal.reason as BiplaneError));
    });
    let watch: SourceWatch | undefined;
    await using row = new WorkbenchRow({
      module,
      url,
      store: join(kept, "store.db"),
      onSources: (files) => watch?.add(files),
      onRefused: (problem) => refused.abort(new BiplaneError("INVALID_INPUT", problem)),
    });
    await using sources = await watchSources(module.file, (files) => row.begin(files));
    watch = sources;
    lines.on("line", () => row.link());
    row.begin([]);
    await stopped;
  } finally {
    lines.close();
    process.stdin.destroy();
    await rm(kept, { recursive: true, force: true });
  }
}
