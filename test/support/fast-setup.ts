import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";

/**
 * Keeps the fast tests fast: they start no process and no worker. esbuild may, because an app that is read from its
 * source is bundled in a process of esbuild's own, and a store in a file has its thread.
 */
const isEsbuild = (what: unknown) => /[\\/]@?esbuild[\\/]/.test(String(what));

function refuse(what: string): never {
  throw new Error(`A fast test starts ${what}: name its file *.process.test.ts or *.engine.test.ts`);
}

for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"] as const) {
  const start = childProcess[name] as (...words: unknown[]) => unknown;
  const guarded = (...words: unknown[]) =>
    isEsbuild(words[0]) ? start(...words) : refuse(`a process: ${String(words[0])}`);
  Object.assign(childProcess, { [name]: guarded });
}

const { Worker } = workerThreads;
Object.assign(workerThreads, {
  Worker: class extends Worker {
    constructor(...words: ConstructorParameters<typeof Worker>) {
      if (!isEsbuild(words[0]) && words[1]?.name !== "sqlite") refuse("a worker");
      super(...words);
    }
  },
});
syncBuiltinESMExports();
