import type { Redactor } from "./redactor.ts";

/** Several redactors as one, made again only when one of them has changed. */
export class CombinedRedactor {
  #parts: readonly Redactor[] = [];
  #combined: Redactor | undefined;

  of(redactors: readonly (Redactor | undefined)[]): Redactor | undefined {
    const parts = redactors.filter((part): part is Redactor => part !== undefined && !part.isEmpty);
    if (parts.length < 2) return parts[0];
    const isSame = parts.length === this.#parts.length && parts.every((part, at) => part === this.#parts[at]);
    if (isSame) return this.#combined;
    this.#parts = parts;
    return (this.#combined = inTurn(parts));
  }
}

function inTurn(parts: readonly Redactor[]): Redactor {
  return {
    isEmpty: false,
    text: (text) => parts.reduce((clean, part) => part.text(clean), text),
    value: (value) => parts.reduce((clean, part) => part.value(clean), value),
    stream: () => {
      const streams = parts.map((part) => part.stream());
      return {
        push: (chunk) => streams.reduce((clean, stream) => stream.push(clean), chunk),
        end: () => streams.reduce((rest, stream) => stream.push(rest) + stream.end(), ""),
      };
    },
  };
}
