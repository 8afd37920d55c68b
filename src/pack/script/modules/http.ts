import { createNamespace } from "../../../starlark/index.ts";
import type { Guard, GuardedRequest } from "../../net/guard.ts";
import { decodeText } from "../../web/decode-text.ts";
import { bindArguments, textArgument } from "./arguments.ts";

export interface HttpOptions {
  /** Left out: every request is refused. */
  readonly guard: Guard | undefined;
  readonly signal: AbortSignal;
}

/** `http.get(url, headers)` and `http.post(url, body, headers, content_type)`: a dict of status, body and headers. */
export function httpModule({ guard, signal }: HttpOptions): unknown {
  const send = async (url: unknown, request: GuardedRequest) => {
    const address = textArgument(url, "url");
    if (!/^https?:\/\//i.test(address)) throw new Error("only http and https URLs are allowed");
    if (!guard) throw new Error("nothing is fetched in a dry run");
    const { status, body, headers } = await guard.fetch(address, { ...request, signal });
    const named = Object.entries(headers).map(([name, value]) => [canonical(name), value] as const);
    return new Map<string, unknown>([
      ["status", status],
      ["body", decodeText(body, headers["content-type"] ?? "")],
      ["headers", new Map(named)],
    ]);
  };
  return createNamespace("http", {
    get: (...args: unknown[]) => {
      const { url, headers } = bindArguments("http.get", ["url", "headers"], args);
      return send(url, { headers: headersOf(headers) });
    },
    post: (...args: unknown[]) => {
      const parameters = ["url", "body", "headers", "content_type"];
      const {
        url,
        body = "",
        headers,
        content_type: type = "application/json",
      } = bindArguments("http.post", parameters, args);
      const given = headersOf(headers);
      const hasType = Object.keys(given).some((name) => name.toLowerCase() === "content-type");
      const typed = hasType ? given : { ...given, "content-type": textArgument(type, "content_type") };
      return send(url, { method: "POST", body: textArgument(body, "body"), headers: typed });
    },
  });
}

function headersOf(headers: unknown): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== "object" || Array.isArray(headers)) throw new Error("headers must be a dict");
  const entries = headers instanceof Map ? [...headers] : Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]: [unknown, unknown]) => [
      textArgument(name, "the name of a header"),
      textArgument(value, `the header ${String(name)}`),
    ]),
  );
}

/** As Go spells it, and so the scripts that were written for it: `Content-Type`. */
function canonical(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
