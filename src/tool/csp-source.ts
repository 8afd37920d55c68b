/**
 * Whether a text is an origin that may stand in a Content-Security-Policy: a scheme, a host that may begin with `*.`, a
 * port. Nothing else gets in, because whatever ends a source begins a directive.
 */
export function isSource(source: unknown): source is string {
  return typeof source === "string" && source.length <= 255 && grammar.test(source);
}

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const grammar = new RegExp(`^(?:https?|wss?)://(?:\\*\\.)?${label}(?:\\.${label})*(?::\\d{1,5})?$`, "i");
