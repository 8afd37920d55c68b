import type { IncomingHttpHeaders } from "node:http";
import { showValue } from "../../call/rules/show-value.ts";
import type { ServerCore } from "../../server/server-core.ts";
import { decodeHeader, nameKeys } from "../../protocol/header-parameters.ts";
import { headerParameters } from "./header-parameters.ts";
import { metaKey, modernVersion, rpcCode } from "../../protocol/protocol.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/**
 * Checks that headers and body agree. The modern era repeats parts of a request in headers for proxies; a mismatch
 * could bypass a proxy's rules.
 */
export function checkHeaders(
  server: ServerCore,
  headers: IncomingHttpHeaders,
  { method, params }: { method: string; params: Params },
): RpcFault | undefined {
  const version = headers["mcp-protocol-version"];
  const claimed = (params["_meta"] as Params)[metaKey.protocolVersion];
  if (claimed !== modernVersion && version === undefined) return undefined; // the version check that follows has the better error
  if (version !== claimed) return mismatch("MCP-Protocol-Version", version, claimed);
  if (claimed !== modernVersion) return undefined;
  if (headers["mcp-method"] !== method) return mismatch("Mcp-Method", headers["mcp-method"], method);
  const nameKey = nameKeys.get(method);
  if (nameKey === undefined) return undefined;
  const name = params[nameKey];
  const given = decodeHeader(headers["mcp-name"]);
  if (typeof name === "string" && given !== name) return mismatch("Mcp-Name", given, name);
  return method === "tools/call" ? checkParameters(server, headers, params) : undefined;
}

function checkParameters(server: ServerCore, headers: IncomingHttpHeaders, params: Params): RpcFault | undefined {
  const tool = typeof params["name"] === "string" ? server.find(params["name"]) : undefined;
  if (!tool) return undefined;
  for (const { header, path } of headerParameters(tool)) {
    const name = `Mcp-Param-${header}`;
    const raw = headers[name.toLowerCase()];
    const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), params["arguments"]);
    const given = typeof raw === "string" ? decodeHeader(raw) : undefined;
    if (raw !== undefined && given === undefined) return fault(`${name} has characters that a header may not carry`);
    if (!agree(given, value)) return mismatch(name, given, value);
  }
  return undefined;
}

function agree(header: string | undefined, value: unknown): boolean {
  if (value === undefined || value === null) return header === undefined;
  if (header === undefined) return false;
  if (typeof value === "number") return header.trim() !== "" && Number(header) === value;
  return header === (typeof value === "string" ? value : JSON.stringify(value));
}

function mismatch(name: string, given: unknown, expected: unknown): RpcFault {
  if (given === undefined) return fault(`the ${name} header is missing or malformed`);
  return fault(`${name} says ${showValue(given)}, the body says ${showValue(expected)}`);
}

function fault(why: string): RpcFault {
  return { code: rpcCode.headerMismatch, message: `Header mismatch: ${why}`, status: 400 };
}
