/**
 * Why a text is not a valid Content-Security-Policy source; undefined if it is. Only a scheme, a host with an optional
 * `*.` and a port are allowed, because any other character could start a new directive.
 */
export function cspSourceProblem(source: unknown, schemes: readonly string[]): string | undefined {
  if (typeof source !== "string") return "it is not a string";
  if (source.length > maxLength) return "it is too long";
  const [, scheme = "", wildcard, host = "", port] = grammar.exec(source) ?? [];
  if (host === "" || !URL.canParse(`http://${host}`)) return "it is not an origin such as https://api.example.com";
  if (!schemes.includes(scheme.toLowerCase())) return `its scheme must be one of ${schemes.join(", ")}`;
  if (wildcard && !host.includes(".")) return "it covers a whole top-level domain";
  return port !== undefined && (Number(port) < 1 || Number(port) > 65_535) ? "its port is out of range" : undefined;
}

/** The domain lists of an app's `csp`, with their allowed schemes. */
export const cspLists = {
  connectDomains: ["http", "https", "ws", "wss"],
  resourceDomains: ["http", "https"],
  frameDomains: ["http", "https"],
  baseUriDomains: ["http", "https"],
} as const;

const maxLength = 260;
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const grammar = new RegExp(`^([a-z]+)://(\\*\\.)?(${label}(?:\\.${label})*)(?::(\\d{1,5}))?$`, "i");
