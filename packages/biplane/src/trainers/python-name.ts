import { BiplaneError } from "@biplane/core";

/** A name of Python's own form, such as `frozen_lake` for `frozen-lake`. */
export function pythonName(name: string): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  if (words === "")
    throw new BiplaneError("INVALID_INPUT", `${JSON.stringify(name)} has no letters or digits to name a file after.`);
  return /^\d/.test(words) || keywords.has(words) ? `env_${words}` : words;
}

/** A class name, such as `FrozenLake` for `frozen-lake`. */
export function className(name: string): string {
  return pythonName(name)
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

const keywords = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
