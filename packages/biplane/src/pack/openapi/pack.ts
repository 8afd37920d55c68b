import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Call, Pack, Reply, Tool } from "@biplane/core";
import { compileGlob, isRecord, minSecretLength, tryParseJson } from "@biplane/core/internal";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { GuardedResponse, NetworkGuard, NetworkOverrides } from "../shared/net/network-guard.ts";
import { openCassette } from "../shared/net/open-cassette.ts";
import { secretParts } from "../shared/net/secret-parts.ts";
import { readOptions } from "../shared/options.ts";
import { shortenText } from "../shared/shorten-text.ts";
import { operationRequest } from "./operation-request.ts";
import { baseUrlOf } from "./base-url.ts";
import { checkCredentials, credentialsFor } from "./credentials.ts";
import type { ApiDescription, ApiOperation } from "./operation.ts";
import { openapiOptions } from "./options.ts";
import type { OpenapiOptions, OpenapiSettings } from "./options.ts";
import { readApi } from "./read-api.ts";
import { ruleOf, tagPolicy } from "./tag-policy.ts";
import type { TagRule } from "./tag-policy.ts";

/** A tool for each operation of the APIs that OpenAPI documents describe. */
export async function openapiPack(options: OpenapiOptions, network: NetworkOverrides = {}): Promise<Pack> {
  const { apis, allow, timeoutMs, maxBytes, maxOperations, record, cassette } = readOptions(options, {
    pack: "openapiPack",
    schema: openapiOptions,
  });
  const secrets = secretsOf(apis);
  const shared = {
    ...network,
    timeoutMs,
    userAgent: "Biplane",
    cassette: openCassette("openapi", { record, cassette, secrets: Object.values(secrets) }),
  };
  const tools: Tool[] = [];
  const rules = new Map<string, { rule: TagRule; request: string }>();
  for (const [name, api] of Object.entries(apis)) {
    const reading = createNetworkGuard({ ...shared, allow });
    const { file, url } = api;
    const description = await readApi({ name, file, url, maxOperations, guard: reading });
    checkCredentials(name, description, api.credentials ?? {});
    const baseUrl = baseUrlOf(name, api, description);
    // The operator names an internal host in baseUrl or allow; a document cannot.
    const own = api.baseUrl === undefined ? [] : [new URL(api.baseUrl).hostname];
    const guard = createNetworkGuard({ ...shared, allow: [...allow, ...own], maxBytes });
    const prefix = api.prefix ?? (Object.keys(apis).length === 1 ? "" : `${name}_`);
    const isWanted = wanted(api.operations ?? ["*"]);
    for (const operation of description.operations.filter((each) => isWanted(each.name))) {
      const rule = ruleOf(operation.tags, api.tags ?? {});
      if (rule === "hide") continue;
      const toolName = `${prefix}${operation.name}`.slice(0, 64);
      rules.set(toolName, { rule, request: `${operation.method.toUpperCase()} ${operation.path}` });
      const { credentials = {}, headers = {} } = api;
      tools.push(operationTool(toolName, operation, { description, baseUrl, guard, credentials, headers }));
    }
  }
  if (tools.length === 0)
    throw new BiplaneError("INVALID_DEFINITION", "openapi: the documents have no operation that becomes a tool.");
  return { name: "openapi", tools, policies: [tagPolicy(rules)], secrets };
}

interface Connected {
  readonly description: ApiDescription;
  readonly baseUrl: string;
  readonly guard: NetworkGuard;
  readonly credentials: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

function operationTool(name: string, operation: ApiOperation, connected: Connected): Tool {
  const { title, description, method, input, bodyType } = operation;
  const isReading = method === "get" || method === "head" || method === "options";
  const isIdempotent = isReading || method === "put" || method === "delete";
  return tool({
    name,
    title,
    description,
    input,
    idempotent: isReading,
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: method === "delete",
      idempotentHint: isIdempotent,
      openWorldHint: true,
    },
    run: async (given, call) => {
      const { description: api, baseUrl, guard, credentials, headers } = connected;
      const request = operationRequest(operation, isRecord(given) ? given : {}, baseUrl);
      const sent = credentialsFor(operation, api, credentials);
      const url = new URL(request.url);
      for (const [key, value] of Object.entries(sent.query)) url.searchParams.set(key, value);
      const cookie = [request.headers["cookie"], sent.headers["cookie"]].filter(Boolean).join("; ");
      const response = await guard.fetch(url.href, {
        ...request,
        headers: {
          ...request.headers,
          ...(request.body !== undefined && bodyType !== undefined && { "content-type": bodyType }),
          ...headers,
          ...sent.headers,
          ...(cookie !== "" && { cookie }),
        },
        signal: call.signal,
      });
      return answerOf(operation, response, call);
    },
  });
}

/** JSON as text and as data, other text as it is. An error status is an error of the tool. */
function answerOf({ method, path }: ApiOperation, response: GuardedResponse, call: Call): Reply {
  const { status, statusText, headers, body } = response;
  const shown = body.toString();
  if (status < 200 || status >= 300) {
    const why = shortenText(call.redact(shown).replaceAll(/\s+/g, " ").trim(), 500, call);
    const head = `${method.toUpperCase()} ${path} was answered with ${status}${statusText && ` ${statusText}`}`;
    throw new BiplaneError("EXECUTION_ERROR", why === "" ? head : `${head}: ${why}`, { details: { status } });
  }
  if (shown === "") return reply(text(`${status} ${statusText}`.trim()), { structured: { status } });
  if (!/json/i.test(headers["content-type"] ?? "")) return reply(text(shown));
  const data = tryParseJson(shown);
  if (data === undefined) return reply(text(shown));
  return reply(text(shown), { structured: isRecord(data) ? data : { result: data } });
}

/** Patterns of names; those that begin with `!` exclude. */
function wanted(patterns: readonly string[]): (name: string) => boolean {
  const included = patterns.filter((each) => !each.startsWith("!")).map(compileGlob);
  const excluded = patterns.filter((each) => each.startsWith("!")).map((each) => compileGlob(each.slice(1)));
  return (name) =>
    (included.length === 0 || included.some((matches) => matches(name))) && !excluded.some((matches) => matches(name));
}

/** Redacted from all output. Short values are not secrets, and redacting them would damage texts. */
function secretsOf(apis: OpenapiSettings["apis"]): Record<string, string> {
  const all = Object.entries(apis).flatMap(([name, { credentials = {}, headers = {} }]) =>
    Object.entries({ ...headers, ...credentials }).flatMap(([key, value]) =>
      secretParts(value).map((part, at) => [`${name}.${key}${at === 0 ? "" : `.${at}`}`, part] as const),
    ),
  );
  return Object.fromEntries(all.filter(([, value]) => value.length >= minSecretLength));
}
