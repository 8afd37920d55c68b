import { BiplaneError } from "../errors.ts";
import { latestLegacy, legacyVersions, metaKey, modernVersion, rpcCode } from "../protocol/protocol.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Agreement, Connection } from "./connection.ts";
import { deliveryOf, isLost } from "./lost.ts";
import type { ConnectOptions } from "./options.ts";
import { rpcErrorOf } from "./response.ts";

export interface NegotiateOptions {
  readonly era: NonNullable<ConnectOptions["era"]>;
  /** How long a server may be silent about the newer era before it is taken not to know it; undefined: it must answer. */
  readonly probeMs: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A new line in place of one that the probe broke: some servers hang up on what they do not know. */
  readonly reopen: () => Promise<void>;
}

/** Finds the newest revision that both sides speak, and opens with it. */
export async function negotiate(connection: Connection, options: NegotiateOptions): Promise<void> {
  if (options.era === "legacy") return initialize(connection, options);
  const found = await probe(connection, options);
  if (found === "modern") return;
  if (options.era === "modern") {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      `the server does not speak MCP ${modernVersion}; try era "auto" or "legacy"`,
    );
  }
  if (found === "gone") await options.reopen();
  try {
    await initialize(connection, options);
  } catch (error) {
    // A server that was slow to start may have been taken for an old one.
    if (found !== "silent" || !rpcErrorOf(error) || (await probe(connection, options)) !== "modern") throw error;
  }
}

type Found = "modern" | "legacy" | "silent" | "gone";

async function probe(connection: Connection, options: NegotiateOptions): Promise<Found> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return await discover(connection, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof BiplaneError)) throw error;
      if (error.code === "TIMEOUT" && options.probeMs !== undefined) return "silent";
      if (error.code === "UNAUTHORIZED" || error.code === "TIMEOUT") throw error;
      if (isLost(error)) {
        if (deliveryOf(error) === "no" || options.era === "modern") throw error;
        return "gone";
      }
      const found = readRefusal(error);
      if (found === "legacy") return "legacy";
    }
  }
  return "legacy";
}

async function discover(connection: Connection, { probeMs, signal }: NegotiateOptions): Promise<Found> {
  const wire = { era: "modern" as const, version: modernVersion, timeoutMs: probeMs, signal };
  const result = await connection.request("server/discover", {}, wire);
  const versions = result["supportedVersions"];
  if (!Array.isArray(versions) || !versions.includes(modernVersion)) return "legacy";
  connection.agree(agreement("modern", modernVersion, result));
  return "modern";
}

/** A refusal in the newer era's own words comes from a server that speaks it; any other from one that does not. */
function readRefusal(error: BiplaneError): "again" | "legacy" {
  const rpc = rpcErrorOf(error);
  if (rpc?.code === rpcCode.headerMismatch || rpc?.code === rpcCode.missingCapability) throw error;
  if (rpc?.code !== rpcCode.unsupportedVersion || !isObject(rpc.data)) return "legacy";
  const supported = Array.isArray(rpc.data["supported"]) ? rpc.data["supported"] : [];
  if (supported.includes(modernVersion)) return "again";
  if (supported.some((version) => legacyVersions.includes(version as string))) return "legacy";
  throw new BiplaneError("NOT_SUPPORTED", `the server speaks only MCP ${supported.join(", ")}`, { cause: error });
}

async function initialize(connection: Connection, { signal }: NegotiateOptions): Promise<void> {
  const { clientInfo, capabilities } = connection.options;
  const params = { protocolVersion: latestLegacy, capabilities: capabilities.legacy, clientInfo };
  const result = await connection.request("initialize", params, { era: "legacy", signal });
  const version = result["protocolVersion"];
  if (typeof version !== "string" || !legacyVersions.includes(version)) {
    const said = JSON.stringify(version ?? null).slice(0, 64);
    throw new BiplaneError("NOT_SUPPORTED", `the server answered initialize with the protocol version ${said}`);
  }
  connection.agree(agreement("legacy", version, result));
  await connection.notify("notifications/initialized", {});
  connection.line.listen?.();
  if (connection.logLevel && isObject(connection.agreement.capabilities["logging"])) {
    await connection.request("logging/setLevel", { level: connection.logLevel }, { signal });
  }
}

function agreement(era: Agreement["era"], version: string, said: Params): Agreement {
  const { capabilities, instructions } = said;
  const meta = isObject(said["_meta"]) ? said["_meta"] : {};
  const serverInfo = said["serverInfo"] ?? meta[metaKey.serverInfo];
  return {
    era,
    version,
    serverInfo: isObject(serverInfo) ? serverInfo : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}
