import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import { appsExtension, tasksExtension } from "../protocol/protocol.ts";
import { isObject } from "../protocol/rpc.ts";
import { appMimeType } from "../tool/app.ts";
import { capabilitiesOf } from "./answers.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client.ts";
import { ownName } from "./client-info.ts";
import { Connection } from "./connection.ts";
import type { ConnectionOptions } from "./connection.ts";
import { negotiate } from "./negotiate.ts";
import type { NegotiateOptions } from "./negotiate.ts";
import { isHttp, lineTo } from "./open-line.ts";
import type { OpenLine } from "./open-line.ts";
import type { ConnectOptions, Target } from "./options.ts";
import { oneLine } from "./one-line.ts";

/**
 * Connects to an MCP server, ours or not, of either era: `http(s)://…`, `ws(s)://…`, `{ command, args }`, or a server in
 * this process. Close it when done, or write `await using`.
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const sleep = options.sleep ?? ((ms, signal) => pause(ms, undefined, { signal }));
  const onWarning = options.onWarning ?? ((warning) => void process.stderr.write(`biplane: ${oneLine(warning)}\n`));
  const openLine = await lineTo(target, { ...options, sleep });
  const open: ClientOptions["open"] = (hooks, { logLevel, signal }) => {
    const connection = new Connection({ ...connectionOptions(options), onWarning, ...hooks }, logLevel);
    const until = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
    return opened(connection, openLine, {
      era: options.era ?? "auto",
      probeMs: probeMs(target, options),
      signal: until,
    });
  };
  const client = new Client({ ...options, sleep, onWarning, open, isHttp: isHttp(target) });
  return client.ready();
}

/** Puts a line under a connection and agrees on what to speak; what fails is closed. */
async function opened(
  connection: Connection,
  openLine: OpenLine,
  terms: Omit<NegotiateOptions, "reopen">,
): Promise<Connection> {
  const reopen = async () => {
    await connection.close();
    connection.line = await openLine(connection);
  };
  connection.line = await openLine(connection);
  try {
    await negotiate(connection, { ...terms, reopen }).catch(async (error: unknown) => {
      const older = isOlderStill(error, terms) ? await openLine.fallback?.(connection) : undefined;
      if (!older) throw error;
      await connection.close();
      connection.line = older;
      await negotiate(connection, { ...terms, era: "legacy", reopen });
    });
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function connectionOptions(
  options: ConnectOptions,
): Omit<ConnectionOptions, "onLost" | "onNotification" | "onWarning"> {
  const { answers = {}, meta = {}, timeoutMs = 30_000, onLog } = options;
  const clientInfo = options.clientInfo ?? ownName();
  return { clientInfo, capabilities: capabilities(options), answers, meta, timeoutMs, onLog };
}

/** What a client of each era says that it can do. Tasks as we know them are of the newer one only. */
function capabilities({ answers = {}, capabilities: more = {}, tasks = true, apps = false }: ConnectOptions) {
  const extensions = {
    ...(apps && { [appsExtension]: { mimeTypes: [appMimeType] } }),
    ...(isObject(more["extensions"]) && more["extensions"]),
  };
  const shared: Params = { ...capabilitiesOf(answers), ...more };
  const legacy = Object.keys(extensions).length > 0 ? { ...shared, extensions } : shared;
  return { modern: tasks ? { ...shared, extensions: { [tasksExtension]: {}, ...extensions } } : legacy, legacy };
}

/** The first servers on HTTP know nothing of the requests that today's begin with. */
function isOlderStill(error: unknown, { era }: Pick<NegotiateOptions, "era">): boolean {
  const details = error instanceof BiplaneError ? error.details : undefined;
  return era !== "modern" && details?.["rpc"] === undefined && [400, 404, 405].includes(Number(details?.["status"]));
}

/** Over a pipe, a server that says nothing for this long does not know the question; HTTP always has an answer. */
function probeMs(target: Target, { timeoutMs = 30_000 }: ConnectOptions): number | undefined {
  return isHttp(target) ? undefined : Math.min(timeoutMs, 10_000);
}
