import { parsedValue } from "../episodes/value-view.tsx";

/** A text that ends with JSON, as a prompt with an observation does: `You see {"position":0}`. */
export interface EmbeddedValue {
  readonly lead: string;
  readonly value: unknown;
}

/** Splits a text into what it says and the JSON at its end. Undefined if there is none. */
export function embeddedValue(text: string): EmbeddedValue | undefined {
  const end = text.trimEnd();
  const start = end.search(/[[{]/);
  if (start <= 0 || !/[\]}]$/.test(end)) return undefined;
  const value = parsedValue(end.slice(start));
  return typeof value === "object" && value !== null ? { lead: text.slice(0, start).trimEnd(), value } : undefined;
}
