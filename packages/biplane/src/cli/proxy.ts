import { command, toggle, oneOf, option } from "./command/define.ts";
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

/** `biplane proxy config.json` */
export const proxyCommand = command("Serve a target as one MCP server, such as all servers of a config file", {
  args: {
    target: targetArg,
    url: option("Address: http://host:port, ws://host:port or stdio", { default: "stdio" }),
    prefix: option("When to prefix tool names with the server's name; with never, a name collision is an error", {
      takes: oneOf("always", "collision", "never"),
      default: "collision",
    }),
    disclose: toggle("List only three tools, which search, describe and call the others"),
    always: option("With --disclose: further tools to list, comma-separated"),
    name: option("The server's name", { default: "biplane-proxy" }),
    ...connectArgs,
  },
  run: async ({ args, rawArgs }) => {
    const { target } = splitTarget(args._, rawArgs);
    const always = args.always === undefined ? [] : args.always.split(",").map((each) => each.trim());
    const server = new ServerCore({
      name: args.name,
      version,
      limits: false, // only the user who started it calls it
      onFault: (fault, where) => warn(`${where}: ${String(fault)}`),
      ...(args.disclose && { disclose: { always } }),
    });
    const options = {
      ...connectOptions(args),
      prefix: prefixes[args.prefix as keyof typeof prefixes],
      onWarning: warn,
    };
    const mounted = await mountTarget(server, target, options).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    await listenUntilStopped({
      url: args.url,
      listen: () => server.serve(args.url),
      close: () => server.close(),
      welcome: (address) => welcome(address, mounted),
    });
  },
});

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

function welcome(address: string, mounted: ReadonlyMap<string, number>): string {
  const rows = [...mounted].map(([name, tools]) => cleanLine(`  ${name}: ${plural(tools, "tool")}`));
  return `${rows.join("\n")}\n\nMCP endpoint: ${address}/mcp\nStop with Ctrl-C.`;
}
