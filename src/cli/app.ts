import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { isLoopback } from "../transport/guard.ts";
import { findModule } from "./app/find-module.ts";

const dev = defineCommand({
  meta: {
    name: "dev",
    description: "Work on a tool's page: serve it, open it, and load it again whenever a file changes",
  },
  args: {
    module: {
      type: "positional",
      description: "A file whose default export is a server or an environment, or a folder with one; left out, here",
      required: false,
    },
    url: { type: "string", description: "Where, on this machine", default: "http://127.0.0.1:8000" },
  },
  run: async ({ args }) => {
    const { isWorkbench, runWorkbench } = await import("./app/workbench.ts");
    if (isWorkbench()) return runWorkbench();
    const { developApp } = await import("./app/develop-app.ts");
    await developApp({ module: findModule(args.module ?? "."), url: checked(args.url) });
  },
});

/** `biplane app dev ./my-app`: what is about the interactive pages of tools. */
export const appCommand = defineCommand({
  meta: { name: "app", description: "Work on the interactive pages of tools" },
  subCommands: { dev },
});

/** Whoever has the link decides there, so that nobody else may come near it. */
function checked(url: string): string {
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && isLoopback(hostname)) return url;
  throw new BiplaneError("INVALID_INPUT", `--url must be on this machine, such as http://127.0.0.1:9000, not ${url}`);
}
