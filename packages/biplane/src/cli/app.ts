import { argument, command, file, option } from "./command/define.ts";
import { usageError } from "./command/exit-code.ts";
import { isLoopback } from "@biplane/core/internal";
import { findModule } from "./app/find-module.ts";

const dev = command("Develop a tool's app page: serve it, print a link to it, reload it when a file changes", {
  args: {
    module: argument("A file whose default export is a server or an environment, or its folder (default: .)", {
      takes: file,
      required: false,
    }),
    url: option("Address on this machine", { default: "http://127.0.0.1:8000" }),
  },
  run: async ({ args }) => {
    const { isDevWorker, runDevWorker } = await import("./app/dev-worker.ts");
    if (isDevWorker()) return runDevWorker();
    const { developApp } = await import("./app/develop-app.ts");
    await developApp({ module: findModule(args.module ?? "."), url: checkedUrl(args.url) });
  },
});

/** `biplane app dev ./my-app` */
export const appCommand = command("Develop the interactive pages of tools", { subCommands: { dev } });

/** The printed link signs in an administrator, so the server must not be reachable from other machines. */
function checkedUrl(url: string): string {
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && isLoopback(hostname)) return url;
  throw usageError(`--url must be a loopback address such as http://127.0.0.1:9000, not ${url}.`);
}
