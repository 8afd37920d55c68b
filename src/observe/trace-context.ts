/** The parent that a `traceparent` names. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Reads W3C's `traceparent` to the letter; undefined for anything that is not one. Later versions may say more. */
export function readTraceparent(header: string): TraceParent | undefined {
  if (header.length > 256) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = traceparentForm.exec(header) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Of flags that are not known, none may be passed on: only whether it is sampled.
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 };
}

const traceparentForm = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-[\x21-\x7e]*)?$/;

/** Reads W3C's `baggage` without properties; entries that are not well formed are dropped, one that is too long whole. */
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
