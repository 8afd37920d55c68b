import { connectAll } from "../../client/config/connect-all.ts";
import { readServers } from "../../client/config/read-servers.ts";
import type { ServerList } from "../../client/config/read-servers.ts";
import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { Environment } from "../../environment/environment.ts";
import { BiplaneError } from "../../errors.ts";
import { gallery } from "../../gallery/gallery.ts";
import { Server } from "../../server/server.ts";
import { fromFile } from "../served.ts";
import { remark } from "../terminal/friendly.ts";
import { version } from "../version.ts";
import { answerInput } from "./answer-input.ts";
import type { WrittenTarget } from "./read-target.ts";

/** A client of what was written, and all that must be closed with it. */
export interface OpenTarget extends AsyncDisposable {
  readonly client: Client;
}

/** Connects to a target. Whatever it needs is started, and ends with it. */
export async function openTarget(target: WrittenTarget, options: ConnectOptions = {}): Promise<OpenTarget> {
  const settings: ConnectOptions = { onWarning: remark, graceMs: 500, ...options };
  switch (target.kind) {
    case "url":
      return held(await connect(target.url, settings));
    case "command":
      return held(await connect({ command: target.command, args: target.args }, settings));
    case "config":
      return openConfig(target, settings);
    case "module": {
      const [served] = await fromFile(target.file);
      if (!served) throw new BiplaneError("INVALID_DEFINITION", `${target.file} has nothing to serve`);
      return served instanceof Environment ? openEnvironment(served, settings) : openServer(served, settings);
    }
    case "gallery":
      return openEnvironment((gallery[target.name] as () => Environment)(), settings);
  }
}

/** Reads a file of servers, and says what is wrong with those that cannot be used. */
export async function readConfig(file: string, only?: readonly string[]): Promise<ServerList> {
  const list = await readServers(file, { input: answerInput, ...(only && { only }) });
  for (const warning of list.warnings) remark(warning);
  const [first] = list.faults;
  if (first && Object.keys(list.servers).length === 0) throw first.error;
  for (const { name, error } of list.faults) remark(`${name} is left out:\n${error.message}`);
  return list;
}

async function openConfig(
  { file, server }: { readonly file: string; readonly server: string | undefined },
  options: ConnectOptions,
): Promise<OpenTarget> {
  const { servers } = await readConfig(file, server === undefined ? undefined : [server]);
  const entries = Object.entries(servers);
  const [only] = entries;
  if (!only) throw new BiplaneError("INVALID_DEFINITION", `${file} has no servers that are not disabled`);
  if (server !== undefined || entries.length === 1) {
    const { command, url, headers, ...more } = only[1];
    const target = command === undefined ? (url ?? "") : { command, ...more };
    return held(await connect(target, { ...options, ...(headers && { headers: { ...options.headers, ...headers } }) }));
  }
  const house = new Server({ name: "several", version, limits: false, onFault: (fault) => remark(String(fault)) });
  const mounted = await connectAll(house, servers, {
    onFailure: (name, error) => remark(`${name} is left out: ${error.message}`),
  });
  if (mounted.size > 0) return openServer(house, options);
  await house.close();
  throw new BiplaneError("EXECUTION_ERROR", `none of the servers of ${file} could be reached`);
}

async function openServer(server: Server, options: ConnectOptions): Promise<OpenTarget> {
  return held(await connect(server, options), () => server.close());
}

/** An episode needs a seat: it is had over HTTP, on a port of its own, in the era that has sessions. */
async function openEnvironment(environment: Environment, options: ConnectOptions): Promise<OpenTarget> {
  const { url } = await environment.serve("http://127.0.0.1:0");
  const { headers: _, bearer: __, ...rest } = options;
  return held(await connect(`${url}/mcp`, { ...rest, era: "legacy" }), () => environment.close());
}

function held(client: Client, close: () => Promise<void> = async () => undefined): OpenTarget {
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await close();
    },
  };
}
