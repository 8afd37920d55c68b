/** The parent span in a `traceparent` header. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Parses a W3C `traceparent` strictly; undefined if it is invalid. Later versions may append fields. */
export function readTraceparent(header: string): TraceParent | undefined {
  if (header.length > 256) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = traceparentForm.exec(header) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Pass on only the sampled flag: unknown flags must not be propagated.
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 };
}

const traceparentForm = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-[\x21-\x7e]*)?$/;

/** Parses W3C `baggage` without properties. Malformed entries are dropped, and so is a header that is too long. */
export function readBaggage(header: string): Record<string, { value: string }> {
  if (header.length > 8192) return {};
  const entries = header
    .split(",")
    .slice(0, 64)
    .flatMap((member) => {
      const [, key, value = ""] = baggageForm.exec(member) ?? [];
      const decoded = key === undefined ? undefined : decode(value);
      return key === undefined || decoded === undefined ? [] : [[key, { value: decoded }] as const];
    });
  return Object.fromEntries(entries);
}

const baggageForm =
  /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)[ \t]*(?:;|$)/;

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
