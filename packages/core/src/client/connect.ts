import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import { appsExtension, tasksExtension } from "../protocol/protocol.ts";
import { appMimeType } from "../tool/mcp-apps.ts";
import { capabilitiesOf } from "./answers.ts";
import type { OAuthClientOptions } from "./auth/options.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client.ts";
import { ownName } from "./client-info.ts";
import { ClientConnection } from "./client-connection.ts";
import type { ConnectionOptions } from "./client-connection.ts";
import { negotiate } from "./negotiate.ts";
import type { NegotiateOptions } from "./negotiate.ts";
import { isHttp, openTransport } from "./open-transport.ts";
import type { OpenTransport } from "./open-transport.ts";
import type { ConnectOptions, Target } from "./options.ts";
import { oneLine } from "../tool/one-line.ts";
import { isRecord } from "../is-record.ts";

/**
 * Connects to any MCP server of either era: `http(s)://…`, `ws(s)://…`, `{ command, args }` or a server in this
 * process. Call `close()` when done.
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const sleep = options.sleep ?? ((ms, signal) => pause(ms, undefined, { signal }));
  const onWarning = options.onWarning ?? ((warning) => void process.stderr.write(`biplane: ${oneLine(warning)}\n`));
  const open = await openTransport(target, { ...options, sleep });
  const openConnection: ClientOptions["open"] = (hooks, { logLevel, signal }) => {
    const connection = new ClientConnection({ ...connectionOptions(options), onWarning, ...hooks }, logLevel);
    const until = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
    return negotiated(connection, open, {
      era: options.era ?? "auto",
      probeMs: probeMs(target, options),
      signal: until,
    });
  };
  const client = new Client({ ...options, sleep, onWarning, open: openConnection, isHttp: isHttp(target) });
  return client.ready();
}

/** Opens a transport and negotiates the protocol version; closes the connection on failure. */
async function negotiated(
  connection: ClientConnection,
  open: OpenTransport,
  terms: Omit<NegotiateOptions, "reopen">,
): Promise<ClientConnection> {
  const reopen = async () => {
    await connection.close();
    connection.transport = await open(connection);
  };
  connection.transport = await open(connection);
  try {
    await negotiate(connection, { ...terms, reopen }).catch(async (error: unknown) => {
      const older = mayBeHttpSse(error, terms) ? await open.fallback?.(connection) : undefined;
      if (!older) throw error;
      await connection.close();
      connection.transport = older;
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

/** The capabilities to declare in each era. The tasks extension exists only in the modern one. */
function capabilities({ answers = {}, capabilities: more = {}, tasks = true, apps = false, oauth }: ConnectOptions) {
  const extensions = {
    ...(oauth && authExtensions(oauth)),
    ...(apps && { [appsExtension]: { mimeTypes: [appMimeType] } }),
    ...(isRecord(more["extensions"]) && more["extensions"]),
  };
  const shared: Params = { ...capabilitiesOf(answers), ...more };
  const legacy = Object.keys(extensions).length > 0 ? { ...shared, extensions } : shared;
  return { modern: tasks ? { ...shared, extensions: { [tasksExtension]: {}, ...extensions } } : legacy, legacy };
}

/** The extensions by which the client gets its tokens. */
function authExtensions({ grant, assertion, dpop }: OAuthClientOptions): Params {
  return {
    ...(grant === "client_credentials" && { "io.modelcontextprotocol/oauth-client-credentials": {} }),
    ...(grant === "jwt_bearer" && assertion?.extension !== undefined && { [assertion.extension]: {} }),
    ...(dpop === true && { "io.modelcontextprotocol/auth/dpop": {} }),
  };
}

/** Servers of the 2024 HTTP+SSE transport reject a POST to the stream's address. */
function mayBeHttpSse(error: unknown, { era }: Pick<NegotiateOptions, "era">): boolean {
  const details = error instanceof BiplaneError ? error.details : undefined;
  return era !== "modern" && details?.["rpc"] === undefined && [400, 404, 405].includes(Number(details?.["status"]));
}

/** On a channel, an unanswered probe means a legacy server. HTTP servers always answer. */
function probeMs(target: Target, { timeoutMs = 30_000 }: ConnectOptions): number | undefined {
  return isHttp(target) ? undefined : Math.min(timeoutMs, 10_000);
}
