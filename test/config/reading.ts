import { BiplaneError } from "biplane";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import type { ResolvedConfig, ResolveOptions } from "../../packages/biplane/src/config/resolve-config.ts";

/** Reads a text as `/srv/biplane.yaml`, with an environment of its own. */
export function read(text: string, options: Omit<ResolveOptions, "file"> = {}): ResolvedConfig {
  return resolveConfig({ file: { name: "/srv/biplane.yaml", text }, environment: {}, folder: "/home", ...options });
}

/** What is wrong with a text, as a person reads it. */
export function complaint(text: string, options: Omit<ResolveOptions, "file"> = {}): string {
  try {
    read(text, options);
  } catch (error) {
    if (error instanceof BiplaneError && error.code === "INVALID_DEFINITION") return error.message;
    throw error;
  }
  throw new Error("nothing is wrong with it");
}

/** `12:5` of a place in a text. */
export function lineAndColumn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}
