import type { HostFunctions } from "@biplane/starlark";
import type { NetworkGuard, GuardedRequest } from "../../shared/net/network-guard.ts";
import { decodeResponseText } from "../../web/decode-response-text.ts";
import { bindHostArguments, textArgument } from "./arguments.ts";

/**
 * `http.get(url, headers)` and `http.post(url, body, headers, content_type)`. Both return a dict with status, body and
 * headers. Without a guard, every request fails.
 */
export function httpModule({
  guard,
  signal,
}: {
  guard: NetworkGuard | undefined;
  signal: AbortSignal;
}): HostFunctions[string] {
  const send = async (url: unknown, request: GuardedRequest) => {
    const address = textArgument(url, "url");
    if (!/^https?:\/\//i.test(address)) throw new Error("only http and https URLs are allowed");
    if (!guard) throw new Error("http is disabled in a dry run");
    const { status, body, headers } = await guard.fetch(address, { ...request, signal });
    const named = Object.entries(headers).map(([name, value]) => [canonical(name), value] as const);
    return { status, body: await decodeResponseText(body, headers["content-type"] ?? ""), headers: new Map(named) };
  };
  return {
    get: (...args: unknown[]) => {
      const { url, headers } = bindHostArguments("http.get", ["url", "headers"], args);
      return send(url, { headers: headersOf(headers) });
    },
    post: (...args: unknown[]) => {
      const parameters = ["url", "body", "headers", "content_type"];
      const {
        url,
        body = "",
        headers,
        content_type: type = "application/json",
      } = bindHostArguments("http.post", parameters, args);
      const given = headersOf(headers);
      const hasType = Object.keys(given).some((name) => name.toLowerCase() === "content-type");
      const typed = hasType ? given : { ...given, "content-type": textArgument(type, "content_type") };
      return send(url, { method: "POST", body: textArgument(body, "body"), headers: typed });
    },
  };
}

function headersOf(headers: unknown): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== "object" || Array.isArray(headers)) throw new Error("headers must be a dict");
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]: [string, unknown]) => [
      name,
      textArgument(value, `the header ${name}`),
    ]),
  );
}

/** Spells headers as Go does (`Content-Type`), for compatibility with existing scripts. */
function canonical(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
