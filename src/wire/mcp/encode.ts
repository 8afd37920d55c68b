import type { Done, Outcome } from "../../call/outcome.ts";
import type { BiplaneError, ErrorCode } from "../../errors.ts";
import { foreignFailure, foreignFault } from "../../server/foreign.ts";
import { isReply } from "../../tool/content.ts";
import { capabilityFor } from "./client.ts";
import type { Answer } from "./exchange.ts";
import { metaKey, rpcCode } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params, RpcFault } from "../../protocol/rpc.ts";

/** What HTTP says to a client that lacks these scopes. */
export type Challenge = (scopes: readonly string[], why: string) => string;

/** How results of one server look in each era. */
export class Encoder {
  readonly serverInfo: Params;
  readonly #modernTail: string;
  readonly #challenge: Challenge | undefined;

  constructor(serverInfo: Params, challenge?: Challenge) {
    this.#challenge = challenge;
    this.serverInfo = serverInfo;
    this.#modernTail = `"resultType":"complete","_meta":${JSON.stringify({ [metaKey.serverInfo]: serverInfo })}}`;
  }

  /** Any result object. */
  result(era: Era, result: Params): string {
    if (era === "legacy") return JSON.stringify(result);
    const meta = { ...(result["_meta"] as Params | undefined), [metaKey.serverInfo]: this.serverInfo };
    return JSON.stringify({ resultType: "complete", ...result, _meta: meta });
  }

  /** What a tool call came to. */
  call(era: Era, outcome: Exclude<Outcome, { status: "suspended" }>, schema?: Params): Answer {
    if (outcome.status === "failed") return this.#failure(era, outcome.error);
    const { value, content } = outcome;
    const { meta, more } = isReply(value) ? value : nothing;
    let json = `{"content":${contentJson(content)}`;
    const structured = structuredJson(era, outcome, schema);
    if (structured !== undefined) json += `,"structuredContent":${structured}`;
    if (more) json += `,${JSON.stringify(more).slice(1, -1)}`;
    if (era === "legacy") return { result: `${json}${meta ? `,"_meta":${JSON.stringify(meta)}` : ""}}` };
    if (!meta) return { result: `${json},${this.#modernTail}` };
    return { result: `${json},${this.result("modern", { _meta: meta }).slice(1)}` };
  }

  #failure(era: Era, error: BiplaneError): Answer {
    if (error.code === "CANCELLED") return "silence";
    const fault = faultFor(era, error);
    if (fault) return { fault };
    const content = [{ type: "text", text: `Error: ${error.message}` }];
    const told = foreignResult(error) ?? { content, isError: true, ...approvalOf(error) };
    const scopes = error.details?.["scopes"] as readonly string[] | undefined;
    const challenge = scopes && this.#challenge?.(scopes, error.message);
    return { result: this.result(era, told), isError: true, ...(challenge !== undefined && { challenge }) };
  }
}

/** Errors that are the protocol's rather than the tool's. The rest are results with `isError`. */
function faultFor(era: Era, error: BiplaneError): RpcFault | undefined {
  const need = error.details?.["question"];
  if (era === "modern" && error.code === "NOT_SUPPORTED" && need !== undefined) {
    const data = { requiredCapabilities: capabilityFor(need) };
    return { code: rpcCode.missingCapability, message: error.message, data, status: 400 };
  }
  const foreign = error.details?.[foreignFault];
  if (isObject(foreign)) return foreign as unknown as RpcFault;
  const code = protocolErrors[error.code];
  return code === undefined ? undefined : { code, message: error.message };
}

/** What a tool of another server answered when it failed, as it came. */
function foreignResult({ details }: BiplaneError): Params | undefined {
  const result = details?.[foreignFailure];
  return isObject(result) ? result : undefined;
}

const nothing: { readonly meta?: undefined; readonly more?: undefined } = {};

/** The same for requests whose results cannot say `isError`: reading a resource, getting a prompt. */
export function plainFaultFor(era: Era, error: BiplaneError): RpcFault {
  const code = error.code === "INVALID_INPUT" ? rpcCode.invalidParams : rpcCode.internal;
  const known = faultFor(era, error) ?? { code, message: error.message };
  return { data: { code: error.code }, ...known };
}

const protocolErrors: { readonly [Code in ErrorCode]?: number } = {
  UNAUTHORIZED: rpcCode.server,
  TOOL_NOT_FOUND: rpcCode.invalidParams,
  RATE_LIMITED: rpcCode.server,
  CAPACITY: rpcCode.server,
  INTERNAL: rpcCode.internal,
};

function approvalOf(error: BiplaneError): Params {
  const approval = error.details?.["approval"];
  return isObject(approval) ? { structuredContent: { approval } } : {};
}

/** Most answers are one text; writing that by hand is half the work. */
function contentJson(content: Done["content"]): string {
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === "text" && !only.annotations && !only._meta;
  return isPlain ? `[{"type":"text","text":${JSON.stringify(only.text)}}]` : JSON.stringify(content);
}

/**
 * The value for programs, beside the content for reading. A string without a schema is content enough. The older era
 * knows only objects there; other values go under `result`, as its clients expect.
 */
function structuredJson(era: Era, { value, content }: Done, schema: Params | undefined): string | undefined {
  const structured = isReply(value) ? value.structured : value;
  if (structured === undefined || (!schema && typeof structured === "string")) return undefined;
  const [only] = content;
  const isSaid = !isReply(value) && typeof value !== "string" && only?.type === "text"; // then its text is its JSON
  const json = isSaid ? only.text : JSON.stringify(structured);
  const isBare = era === "modern" || (schema ? schema["type"] === "object" : isObject(structured));
  return isBare ? json : `{"result":${json}}`;
}
