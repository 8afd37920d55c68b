import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { BiplaneError } from "@biplane/core";
import type { FoundModule } from "./find-module.ts";
import { watchSources } from "./watch-sources.ts";
import type { SourceWatch } from "./watch-sources.ts";
import { DevWorkerPool } from "./dev-worker-pool.ts";

export interface DevelopOptions {
  readonly module: FoundModule;
  readonly url: string;
}

/** Serves a module and reloads it when its files change, until Ctrl-C. */
export async function developApp({ module, url }: DevelopOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "biplane-app-"));
  const lines = createInterface({ input: process.stdin });
  try {
    const listenFailure = new AbortController();
    const stopped = new Promise<void>((resolve, reject) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
      listenFailure.signal.addEventListener("abort", () => reject(listenFailure.signal.reason as BiplaneError));
    });
    let watch: SourceWatch | undefined;
    await using workers = new DevWorkerPool({
      module,
      url,
      store: join(folder, "store.db"),
      onSources: (files) => watch?.add(files),
      onListenFailed: (problem) => listenFailure.abort(new BiplaneError("INVALID_INPUT", problem)),
    });
    await using sources = await watchSources([module.file], (files) => workers.reload(files));
    watch = sources;
    lines.on("line", () => workers.printLink());
    workers.reload([]);
    await stopped;
  } finally {
    lines.close();
    process.stdin.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}
