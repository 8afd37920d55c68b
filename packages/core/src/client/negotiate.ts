import { BiplaneError } from "../errors.ts";
import { latestLegacy, legacyVersions, metaKey, modernVersion, rpcCode } from "../protocol/protocol.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Agreement, ClientConnection } from "./client-connection.ts";
import { deliveryOf, isConnectionLost } from "./connection-lost.ts";
import type { ConnectOptions } from "./options.ts";
import { rpcErrorOf } from "./response.ts";
import { isRecord } from "../is-record.ts";

export interface NegotiateOptions {
  readonly era: NonNullable<ConnectOptions["era"]>;
  /** Time limit for the modern probe, after which the server counts as legacy; undefined if it must answer. */
  readonly probeMs: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Replaces the transport after a probe: some legacy servers disconnect on unknown methods. */
  readonly reopen: () => Promise<void>;
}

/** Negotiates the newest protocol version that both sides support. */
export async function negotiate(connection: ClientConnection, options: NegotiateOptions): Promise<void> {
  if (options.era === "legacy") return initialize(connection, options);
  const found = await probe(connection, options);
  if (found === "modern") return;
  if (options.era === "modern") {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      `The server does not support MCP ${modernVersion}. Use era "auto" or "legacy".`,
    );
  }
  if (found === "gone") await options.reopen();
  try {
    await initialize(connection, options);
  } catch (error) {
    // A modern server that was slow to start may have missed the first probe.
    if (found !== "silent" || !rpcErrorOf(error) || (await probe(connection, options)) !== "modern") throw error;
  }
}

type ProbeResult = "modern" | "legacy" | "silent" | "gone";

async function probe(connection: ClientConnection, options: NegotiateOptions): Promise<ProbeResult> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return await discover(connection, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof BiplaneError)) throw error;
      if (error.code === "TIMEOUT" && options.probeMs !== undefined) return "silent";
      if (notAboutEra.has(error.code)) throw error;
      if (isConnectionLost(error)) {
        if (deliveryOf(error) === "no" || options.era === "modern") throw error;
        return "gone";
      }
      if (afterError(error) === "legacy") return "legacy";
    }
  }
  return "legacy";
}

/** A server that is starting, closing or full may support the modern era. Only our servers answer INTERNAL. */
const notAboutEra: ReadonlySet<string> = new Set([
  "UNAUTHORIZED",
  "FORBIDDEN",
  "TIMEOUT",
  "CAPACITY",
  "RATE_LIMITED",
  "INTERNAL",
]);

async function discover(connection: ClientConnection, { probeMs, signal }: NegotiateOptions): Promise<ProbeResult> {
  const wire = { era: "modern" as const, version: modernVersion, timeoutMs: probeMs, signal };
  const result = await connection.request("server/discover", {}, wire);
  const versions = result["supportedVersions"];
  if (!Array.isArray(versions) || !versions.includes(modernVersion)) return "legacy";
  connection.agree(agreement("modern", modernVersion, result));
  return "modern";
}

/** Only modern servers send the modern era's error codes; any other error means a legacy server. */
function afterError(error: BiplaneError): "retry" | "legacy" {
  const rpc = rpcErrorOf(error);
  if (rpc?.code === rpcCode.headerMismatch || rpc?.code === rpcCode.missingCapability) throw error;
  if (rpc?.code !== rpcCode.unsupportedVersion || !isRecord(rpc.data)) return "legacy";
  const supported = Array.isArray(rpc.data["supported"]) ? rpc.data["supported"] : [];
  if (supported.includes(modernVersion)) return "retry";
  if (supported.some((version) => legacyVersions.includes(version as string))) return "legacy";
  throw new BiplaneError("NOT_SUPPORTED", `The server supports only MCP ${supported.join(", ")}.`, { cause: error });
}

async function initialize(connection: ClientConnection, { signal }: NegotiateOptions): Promise<void> {
  const { clientInfo, capabilities } = connection.options;
  const params = { protocolVersion: latestLegacy, capabilities: capabilities.legacy, clientInfo };
  const result = await connection.request("initialize", params, { era: "legacy", signal });
  const version = result["protocolVersion"];
  if (typeof version !== "string" || !legacyVersions.includes(version)) {
    const shown = JSON.stringify(version ?? null).slice(0, 64);
    throw new BiplaneError("NOT_SUPPORTED", `The server answered initialize with protocol version ${shown}.`);
  }
  connection.agree(agreement("legacy", version, result));
  await connection.notify("notifications/initialized", {});
  connection.transport.listen?.();
  if (connection.logLevel && isRecord(connection.agreement.capabilities["logging"])) {
    await connection.request("logging/setLevel", { level: connection.logLevel }, { signal });
  }
}

function agreement(era: Agreement["era"], version: string, result: Params): Agreement {
  const { capabilities, instructions } = result;
  const meta = isRecord(result["_meta"]) ? result["_meta"] : {};
  const serverInfo = result["serverInfo"] ?? meta[metaKey.serverInfo];
  return {
    era,
    version,
    serverInfo: isRecord(serverInfo) ? serverInfo : {},
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}
