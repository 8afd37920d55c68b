/**
 * Why a text may not stand as a source in a Content-Security-Policy; undefined where it may. A source is a scheme, a host
 * that may begin with `*.`, and perhaps a port. Nothing else gets in: whatever ends a source begins a directive.
 */
export function whyNoSource(source: unknown, schemes: readonly string[]): string | undefined {
  if (typeof source !== "string") return "it is no text";
  if (source.length > longest) return "it is too long";
  const [, scheme = "", wildcard, host = "", port] = grammar.exec(source) ?? [];
  if (host === "" || !URL.canParse(`http://${host}`)) return "it is no origin such as https://api.example.com";
  if (!schemes.includes(scheme.toLowerCase())) return `its scheme is none of ${schemes.join(", ")}`;
  if (wildcard && !host.includes(".")) return "it stands for a whole top-level domain";
  return port !== undefined && (Number(port) < 1 || Number(port) > 65_535) ? "it has no such port" : undefined;
}

/** The lists of domains that a page may come with, and what each is for. */
export const cspLists = {
  connectDomains: ["http", "https", "ws", "wss"],
  resourceDomains: ["http", "https"],
  frameDomains: ["http", "https"],
  baseUriDomains: ["http", "https"],
} as const;

const longest = 260;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const grammar = new RegExp(`^([a-z]+)://(\\*\\.)?(${label}(?:\\.${label})*)(?::(\\d{1,5}))?$`, "i");
