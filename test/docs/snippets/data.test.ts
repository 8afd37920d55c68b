import { parse as parseToml } from "smol-toml";
import { expect, test } from "vitest";
import { resolveConfig } from "../../../packages/biplane/src/config/resolve-config.ts";
import { knownNames } from "../../../packages/biplane/src/host/known-names.ts";
import { blocksOf } from "../code-blocks.ts";
import type { CodeBlock } from "../code-blocks.ts";

const known = await knownNames();

test.each(blocksOf("yaml").map(named))("the config at %s is valid", (name, text) => {
  // Every variable that a config refers to is set, with a value that no check finds too short.
  const secret = (variable: string) => `${variable}-`.repeat(8);
  const environment = { WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, "secret").toString("base64")}` };
  const { config } = resolveConfig({ file: { name, text }, known, environment, secret });
  expect(config).toBeDefined();
});

test.each(blocksOf("json").map(named))("the JSON at %s parses", (_, text) => {
  expect(JSON.parse(text)).toBeTypeOf("object");
});

test.each(blocksOf("toml").map(named))("the TOML at %s parses", (_, text) => {
  expect(parseToml(text)).toBeTypeOf("object");
});

function named({ file, line, code }: CodeBlock): [string, string] {
  return [`${file}:${line}`, code];
}
