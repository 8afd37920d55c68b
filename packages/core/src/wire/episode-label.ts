import { BiplaneError } from "../errors.ts";

/** Reads the name that a client gives an episode, from the field `key`. Undefined if it gives none. */
export function readEpisodeLabel(label: unknown, key: string): string | undefined {
  if (label === undefined || label === null || label === "") return undefined;
  if (typeof label !== "string") throw new BiplaneError("INVALID_INPUT", `${key} must be a string.`);
  if (label.length <= maxLength) return label;
  throw new BiplaneError("INVALID_INPUT", `${key} is longer than ${maxLength} characters.`);
}

const maxLength = 255;
