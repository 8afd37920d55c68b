import { command, toggle, oneOf, option } from "./command/define.ts";
import type { GivenArgs } from "./command/define.ts";
import type { ServerOptions } from "@biplane/core";
import { ServerCore, plural, serverOf } from "@biplane/core/internal";
import type { ConnectAllOptions } from "@biplane/core/client";
import { listenUntilStopped } from "./listen.ts";
import { connectArgs, connectOptions } from "./target/connect-args.ts";
import { mountServers } from "./target/mount-servers.ts";
import { openServed } from "./target/open-served.ts";
import { splitTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import type { WrittenTarget } from "./target/read-target.ts";
import { serversOf } from "./target/servers-of.ts";
import { cleanLine } from "./terminal/clean-text.ts";
import { warn } from "./terminal/warn.ts";
import { version } from "../host/version.ts";

/** Options of every command that serves a target as one server. */
export const proxyArgs = {
  target: targetArg,
  url: option("Address: http://host:port, ws://host:port or stdio", { default: "stdio" }),
  prefix: option("When to prefix tool names with the server's name; with never, a name collision is an error", {
    takes: oneOf("always", "collision", "never"),
    default: "collision",
  }),
  ...connectArgs,
} as const;

/** `biplane proxy config.json` */
export const proxyCommand = command("Serve a target as one MCP server, such as all servers of a config file", {
  args: {
    ...proxyArgs,
    disclose: toggle("List only three tools, which search, describe and call the others"),
    always: option("With --disclose: further tools to list, comma-separated"),
    name: option("The server's name", { default: "biplane-proxy" }),
  },
  run: async ({ args, rawArgs }) => {
    const always = args.always === undefined ? [] : args.always.split(",").map((each) => each.trim());
    await runProxy(splitTarget(args._, rawArgs).target, {
      ...args,
      server: { name: args.name, ...(args.disclose && { disclose: { always } }) },
    });
  },
});

export interface TargetProxyOptions extends GivenArgs<typeof connectArgs> {
  readonly url: string;
  readonly prefix: string;
  readonly server: Pick<ServerOptions, "name" | "disclose">;
  /** Called with the server before anybody can reach it. Returns further lines of the welcome. */
  readonly prepare?: (server: ServerCore) => Promise<readonly string[]>;
}

/** Serves a target until the user stops it. */
export async function runProxy(target: WrittenTarget, options: TargetProxyOptions): Promise<void> {
  const { url, prefix, prepare } = options;
  const server = new ServerCore({
    ...options.server,
    version,
    limits: false, // only the user who started it calls it
    onFault: (fault, where) => warn(`${where}: ${String(fault)}`),
  });
  const connecting = {
    ...connectOptions(options),
    prefix: prefixes[prefix as keyof typeof prefixes],
    onWarning: warn,
  };
  try {
    const mounted = await mountTarget(server, target, connecting);
    const more = (await prepare?.(server)) ?? [];
    await listenUntilStopped({
      url,
      listen: () => server.serve(url),
      close: () => server.close(),
      welcome: (address) => welcome(address, mounted, more),
    });
  } catch (error) {
    await server.close();
    throw error;
  }
}

const prefixes = { always: "always", collision: "on collision", never: "never" } as const;

/** Mounts a target and returns the number of tools of each of its servers. */
async function mountTarget(
  server: ServerCore,
  target: WrittenTarget,
  options: ConnectAllOptions,
): Promise<ReadonlyMap<string, number>> {
  const servers = await serversOf(target);
  if (servers) {
    // The proxy has no policies, and each server checks its own input.
    const mounted = await mountServers(server, servers, { ...options, checkInput: false });
    return new Map([...mounted].map(([name, { catalog }]) => [name, catalog.tools.size]));
  }
  const served = await openServed(target);
  server.mount(served.name, served, options);
  server.whenClosed(() => served.close());
  return new Map([[served.name, serverOf(served).catalog.tools.size]]);
}

function welcome(address: string, mounted: ReadonlyMap<string, number>, more: readonly string[]): string {
  const rows = [...[...mounted].map(([name, tools]) => `  ${name}: ${plural(tools, "tool")}`), ...more].map(cleanLine);
  return `${rows.join("\n")}\n\nMCP endpoint: ${address}/mcp\nStop with Ctrl-C.`;
}
