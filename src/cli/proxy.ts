import { defineCommand } from "citty";
import { connectAll } from "../client/config/connect-all.ts";
import type { RemoteServer } from "../client/mount/remote-server.ts";
import { BiplaneError } from "../errors.ts";
import type { MountOptions } from "../server/mount.ts";
import { Server } from "../server/server.ts";
import { listenUntilStopped } from "./listen.ts";
import { readConfig } from "./target/open-target.ts";
import { cleanLine } from "./terminal/clean-text.ts";
import { friendly, remark } from "./terminal/friendly.ts";
import { version } from "./version.ts";

/** `biplane proxy config.json`: all servers of a file as one, over stdio or HTTP. */
export const proxyCommand = defineCommand({
  meta: { name: "proxy", description: "Serve all MCP servers of a config file as one" },
  args: {
    config: { type: "positional", description: "A file as Claude Desktop, Cursor or VS Code write it", required: true },
    url: { type: "string", description: "http://host:port, ws://host:port or stdio", default: "stdio" },
    prefix: {
      type: "string",
      description:
        "Servers' names before those of tools: always, on collision, or never, so that a collision is an error",
      default: "collision",
    },
    disclose: {
      type: "boolean",
      description: "List three tools with which the others are found, looked at and called",
      default: false,
    },
    always: { type: "string", description: "With --disclose, tools to list all the same, with commas between them" },
    name: { type: "string", description: "What it calls itself", default: "biplane-proxy" },
  },
  run: ({ args }) =>
    friendly(async () => {
      const prefix = readPrefix(args.prefix);
      const always = args.always === undefined ? [] : args.always.split(",").map((each) => each.trim());
      const { servers } = await readConfig(args.config);
      const house = new Server({
        name: args.name,
        version,
        limits: false, // it listens on this machine only, for the person who started it
        onFault: (fault, where) => remark(`${where}: ${String(fault)}`),
        ...(args.disclose && { disclose: { always } }),
      });
      const mounted = await mountAll(house, servers, prefix).catch(async (error: unknown) => {
        await house.close();
        throw error;
      });
      await listenUntilStopped({
        url: args.url,
        listen: () => house.serve(args.url),
        close: () => house.close(),
        welcome: (address) => welcome(address, mounted),
      });
    }),
});

function readPrefix(written: string): NonNullable<MountOptions["prefix"]> {
  if (written === "collision") return "on collision";
  if (written === "always" || written === "never") return written;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `--prefix is always, collision or never, not ${JSON.stringify(written)}`,
  );
}

/** Those that fail are told of and the rest is served; where prefixes are off, a name that two have is the end. */
async function mountAll(
  house: Server,
  servers: Parameters<typeof connectAll>[1],
  prefix: MountOptions["prefix"],
): Promise<ReadonlyMap<string, RemoteServer>> {
  let conflict: BiplaneError | undefined;
  const mounted = await connectAll(house, servers, {
    checkInput: false, // there are no rules here that could be walked around, and each server knows its own best
    ...(prefix && { prefix }),
    onWarning: remark,
    onFailure: (name, error) => {
      if (error.details?.["conflict"] !== undefined) conflict ??= error;
      else remark(`${name} is left out: ${error.message}`);
    },
  });
  if (conflict) throw conflict;
  if (mounted.size === 0) throw new BiplaneError("EXECUTION_ERROR", "none of the servers could be reached");
  return mounted;
}

function welcome(address: string, mounted: ReadonlyMap<string, RemoteServer>): string {
  const rows = [...mounted].map(([name, { catalog }]) => cleanLine(`  ${name}: ${count(catalog.tools.size, "tool")}`));
  return `${rows.join("\n")}\n\nAll of them: ${address}/mcp\nStop with Ctrl-C.`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
