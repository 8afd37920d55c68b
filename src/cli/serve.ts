import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { Server } from "../server/server.ts";
import { listenUntilStopped } from "./listen.ts";
import { loadModule } from "./load-module.ts";

/** `biplane serve ./tools.ts`: puts the server that a file exports on a wire. */
export const serve = defineCommand({
  meta: { name: "serve", description: "Serve what a file exports as its default: a server" },
  args: {
    file: {
      type: "positional",
      description: "A .ts, .js or .mjs file whose default export is a server",
      required: true,
    },
    url: { type: "string", description: "http://host:port, ws://host:port or stdio", default: "http://127.0.0.1:8000" },
    stdio: { type: "boolean", description: "The same as --url stdio", default: false },
  },
  run: async ({ args }) => {
    const { default: exported } = await loadModule(args.file);
    if (!(exported instanceof Server)) {
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `${args.file} must have a server as its default export: export default server({ … })`,
      );
    }
    await listenUntilStopped(exported, args.stdio ? "stdio" : args.url, welcome);
  },
});

function welcome(server: Server, url: string): string {
  const tools = Array.from(server.tools, ({ name }) => name);
  return [
    `${server.name} ${server.version} listens on ${url}/mcp`,
    `  tools: ${tools.slice(0, 8).join(", ")}${tools.length > 8 ? ` and ${tools.length - 8} more` : ""}`,
    `  try:   curl -s ${url}/mcp/capabilities`,
    "  stop:  Ctrl-C",
  ].join("\n");
}
