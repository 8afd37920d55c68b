import { decodeUri, isRecord } from "@biplane/core/internal";

/** Follows `#/…` in a document. Undefined for anything else. */
export function lookUpReference(document: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found = document;
  for (const step of reference.slice(2).split("/")) {
    const key = (decodeUri(step) ?? step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = found[Number(key)];
    else if (isRecord(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

/** Follows one reference, as path items and parameters may have. */
export function followReference(
  document: Readonly<Record<string, unknown>>,
  value: unknown,
): Readonly<Record<string, unknown>> | undefined {
  const reference = isRecord(value) ? value["$ref"] : undefined;
  const found = typeof reference === "string" ? lookUpReference(document, reference) : value;
  return isRecord(found) ? found : undefined;
}
