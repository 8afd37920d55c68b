import type { Done, Outcome } from "../../call/outcome.ts";
import { BiplaneError } from "../../errors.ts";
import { foreignFailure, foreignFault } from "../../server/foreign.ts";
import { isReply } from "../../tool/content.ts";
import { capabilityFor } from "./client.ts";
import type { McpAnswer } from "./exchange.ts";
import { errorMeta } from "../../protocol/error-meta.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import { rpcCodeOf } from "../../protocol/rpc-code-of.ts";
import type { Era } from "../../protocol/protocol.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** Makes the `WWW-Authenticate` header for a client that lacks these scopes. */
export type ScopeChallenge = (scopes: readonly string[], why: string) => string;

/** Encodes the results of one server for each era. */
export class Encoder {
  readonly serverInfo: Params;
  readonly #modernTail: string;
  readonly #challenge: ScopeChallenge | undefined;

  constructor(serverInfo: Params, challenge?: ScopeChallenge) {
    this.#challenge = challenge;
    this.serverInfo = serverInfo;
    this.#modernTail = `"resultType":"complete","_meta":${JSON.stringify({ [metaKey.serverInfo]: serverInfo })}}`;
  }

  result(era: Era, result: Params): string {
    if (era === "legacy") return JSON.stringify(result);
    const meta = { ...(result["_meta"] as Params | undefined), [metaKey.serverInfo]: this.serverInfo };
    return JSON.stringify({ resultType: "complete", ...result, _meta: meta });
  }

  /** Encodes the outcome of a tool call. */
  call(era: Era, outcome: Exclude<Outcome, { status: "suspended" }>, schema?: Params): McpAnswer {
    if (outcome.status === "failed") return this.#failure(era, outcome.error);
    const { value, content } = outcome;
    const { meta, more } = isReply(value) ? value : noReply;
    let json = `{"content":${contentJson(content)}`;
    const isError = more?.["isError"] === true;
    const structured = isError ? undefined : structuredJson(era, outcome, schema);
    if (structured !== undefined) json += `,"structuredContent":${structured}`;
    if (more) json += `,${JSON.stringify(more).slice(1, -1)}`;
    if (era === "legacy") return { result: `${json}${meta ? `,"_meta":${JSON.stringify(meta)}` : ""}}` };
    if (!meta) return { result: `${json},${this.#modernTail}` };
    return { result: `${json},${this.result("modern", { _meta: meta }).slice(1)}` };
  }

  /** A failed result, which the model reads. Clients check structured content, so an error never has any. */
  errorResult(era: Era, error: BiplaneError): McpAnswer {
    const content = [{ type: "text", text: `Error: ${error.message}` }];
    const result = this.result(era, { content, isError: true, _meta: errorMeta(error) });
    const scopes = error.details?.["scopes"] as readonly string[] | undefined;
    const challenge = scopes && this.#challenge?.(scopes, error.message);
    return { result, isError: true, ...(challenge !== undefined && { challenge }) };
  }

  #failure(era: Era, error: BiplaneError): McpAnswer {
    if (error.code === "CANCELLED") return "no-response";
    const foreign = foreignResult(error);
    if (foreign) return { result: this.result(era, foreign), isError: true };
    const fault = faultFor(era, error);
    return fault ? { fault } : this.errorResult(era, error);
  }
}

/** The protocol error for an error, if it has one. All others become results with `isError`. */
function faultFor(era: Era, error: BiplaneError): RpcFault | undefined {
  const need = error.details?.["question"];
  if (era === "modern" && error.code === "NOT_SUPPORTED" && need !== undefined) {
    const data = { requiredCapabilities: capabilityFor(need) };
    return { code: rpcCode.missingCapability, message: error.message, data, status: 400 };
  }
  const foreign = error.details?.[foreignFault];
  if (isRecord(foreign)) return foreign as unknown as RpcFault;
  const code = rpcCodeOf(error.code);
  return code === undefined ? undefined : { code, message: error.message, data: errorMeta(error) };
}

/** The failed result of a mounted server's tool, without its structured content. */
function foreignResult({ details }: BiplaneError): Params | undefined {
  const result = details?.[foreignFailure];
  if (!isRecord(result)) return undefined;
  const { structuredContent: _, ...rest } = result;
  return rest;
}

const noReply: { readonly meta?: undefined; readonly more?: undefined } = {};

/** The error for requests whose results have no `isError`, such as `resources/read`. */
export function plainFaultFor(era: Era, error: BiplaneError): RpcFault {
  const code = error.code === "INVALID_INPUT" ? rpcCode.invalidParams : rpcCode.internal;
  return faultFor(era, error) ?? { code, message: error.message, data: errorMeta(error) };
}

/** The fault of a request that failed outside of a call. Only a server that is not ready says why. */
export function faultOfServer(era: Era, error: unknown): RpcFault {
  const isBusy = error instanceof BiplaneError && error.code === "CAPACITY";
  return plainFaultFor(era, isBusy ? error : new BiplaneError("INTERNAL", "Internal error"));
}

/** Most results are one text part; this fast path halves the encoding time. */
function contentJson(content: Done["content"]): string {
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === "text" && !only.annotations && !only._meta;
  return isPlain ? `[{"type":"text","text":${JSON.stringify(only.text)}}]` : JSON.stringify(content);
}

/**
 * The JSON of `structuredContent`. A string without a schema has none. The legacy era allows only objects, so other
 * values are wrapped in `result`.
 */
function structuredJson(era: Era, { value, content }: Done, schema: Params | undefined): string | undefined {
  const structured = isReply(value) ? value.structured : value;
  if (structured === undefined || (!schema && typeof structured === "string")) return undefined;
  const [only] = content;
  const isInText = !isReply(value) && typeof value !== "string" && only?.type === "text"; // the text is the JSON
  const json = isInText ? only.text : JSON.stringify(structured);
  const isBare = era === "modern" || (schema ? schema["type"] === "object" : isRecord(structured));
  return isBare ? json : `{"result":${json}}`;
}
