import { defineCommand } from "citty";
import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import { gallery } from "../gallery/gallery.ts";
import { Server } from "../server/server.ts";
import { serve as listen } from "../wire/serve.ts";
import type { Served } from "../wire/wing.ts";
import { listenUntilStopped } from "./listen.ts";
import { loadModule } from "./load-module.ts";

/** `biplane serve ./tools.ts --env taxi`: puts servers and environments on a wire. */
export const serve = defineCommand({
  meta: { name: "serve", description: "Serve a file's default export, environments of the gallery, or both" },
  args: {
    file: {
      type: "positional",
      description: "A .ts, .js or .mjs file whose default export is a server or an environment",
      required: false,
    },
    env: {
      type: "string",
      description: `Environments of the gallery, with commas between them: ${Object.keys(gallery).join(", ")}`,
    },
    url: { type: "string", description: "http://host:port, ws://host:port or stdio", default: "http://127.0.0.1:8000" },
    stdio: { type: "boolean", description: "The same as --url stdio", default: false },
    "open-trainer-doors": {
      type: "boolean",
      description: "Let trainers in without credentials on an address that others can reach",
      default: false,
    },
  },
  run: async ({ args }) => {
    const served = [...(args.file ? await fromFile(args.file) : []), ...fromGallery(args.env)];
    if (served.length === 0)
      throw new BiplaneError("INVALID_DEFINITION", "say what to serve: a file, or --env with one of the gallery");
    const url = args.stdio ? "stdio" : args.url;
    await listenUntilStopped({
      url,
      listen: () => listen(served, { url, openTrainerDoors: args["open-trainer-doors"] }),
      close: async () => void (await Promise.all(served.map((each) => each.close()))),
      welcome: (address) => welcome(served, address),
    });
  },
});

async function fromFile(file: string): Promise<Served[]> {
  const { default: exported } = await loadModule(file);
  const all: unknown[] = Array.isArray(exported) ? exported : [exported];
  const isServed = (each: unknown): each is Served => each instanceof Server || each instanceof Environment;
  if (all.length > 0 && all.every(isServed)) return all;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${file} must have a server or an environment as its default export, such as export default server({ … })`,
  );
}

function fromGallery(names: string | undefined): Environment[] {
  return (names?.split(",") ?? []).map((each) => {
    const name = each.trim();
    const make = Object.hasOwn(gallery, name) ? gallery[name] : undefined;
    if (make) return make();
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `there is no environment ${JSON.stringify(name)}; there are ${Object.keys(gallery).join(", ")}`,
    );
  });
}

function welcome(served: readonly Served[], url: string): string {
  const lines = served.map((each, at) => {
    const base = at === 0 ? url : `${url}/env/${each.name}`;
    const server = each instanceof Environment ? each.server : each;
    const tools = Array.from(server.tools, ({ name }) => name);
    return [
      `${each.name} ${each.version}`,
      `  agents:   ${base}/mcp`,
      ...(each instanceof Environment ? [`  trainers: ${base} (OpenEnv, Eval Protocol)`] : []),
      `  tools:    ${tools.slice(0, 8).join(", ")}${tools.length > 8 ? ` and ${tools.length - 8} more` : ""}`,
    ].join("\n");
  });
  return `${lines.join("\n")}\n\nTry: curl -s ${url}/mcp/capabilities\nStop with Ctrl-C.`;
}
