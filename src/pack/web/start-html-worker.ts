import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

/** Starts the worker beside this file: the built one, or in development the TypeScript source by way of tsx. */
export function startHtmlWorker(): Worker {
  const options = {
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
    stdout: true,
    stderr: true,
    env: {},
  };
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./html-worker.js", import.meta.url), options);
  const tsx = pathToFileURL(
    createRequire(import.meta.url)
      .resolve("tsx/esm/api")
      .replace(/\.cjs$/, ".mjs"),
  ).href;
  const entry = new URL("./html-worker.ts", import.meta.url).href;
  const bootstrap = `import(${JSON.stringify(tsx)}).then(({ register }) => {
    register();
    return import(${JSON.stringify(entry)});
  });`;
  return new Worker(bootstrap, { ...options, eval: true });
}
