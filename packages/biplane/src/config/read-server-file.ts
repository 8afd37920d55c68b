import { BiplaneError } from "@biplane/core";
import type { ParsedText, ReadServersOptions, ServerList } from "@biplane/core/client";
import { isRecord, readServers } from "@biplane/core/internal";
import type { Path, Range } from "@biplane/core/internal";
import type { YamlSource } from "./yaml-source.ts";

/** Reads a server file of a desktop host: JSON with comments, or YAML. Starts nothing. */
export async function readServerFile(file: string, options: ReadServersOptions = {}): Promise<ServerList> {
  if (!/\.ya?ml$/i.test(file)) {
    const { readJsonc } = await import("./jsonc.ts");
    return readServers(file, { ...options, parse: readJsonc });
  }
  const { readYaml } = await import("./yaml-source.ts");
  return readServers(file, { ...options, parse: (text) => parsed(readYaml(text)) });
}

function parsed({ value, faults, rangeOf }: YamlSource): ParsedText {
  const [first] = faults;
  if (first)
    throw new BiplaneError("INVALID_DEFINITION", `is not valid YAML: ${first.message}`, {
      details: { offset: first.offset },
    });
  const texts: Range[] = [];
  const walk = (inner: unknown, path: Path): void => {
    if (typeof inner === "string") texts.push(rangeOf(path, "value"));
    else if (Array.isArray(inner)) for (const [index, item] of inner.entries()) walk(item, [...path, index]);
    else if (isRecord(inner)) for (const [key, item] of Object.entries(inner)) walk(item, [...path, key]);
  };
  walk(value, []);
  return { value, rangeOf, texts };
}
