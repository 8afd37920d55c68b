import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectFiles, projectKinds } from "../../packages/biplane/src/cli/init/project.ts";
import { publishedSchema } from "../../packages/biplane/src/config/published-schema.ts";
import { knownNames } from "../../packages/biplane/src/host/known-names.ts";
import { runs } from "../support/runs.ts";
import { arbitraryConfig } from "./arbitrary-config.ts";
import { complaint } from "./reading.ts";

const known = await knownNames();
const validatorFor = (names: Parameters<typeof publishedSchema>[0]) =>
  new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
    publishedSchema(names),
  );
const validate = validatorFor(known);
const faultsIn = (text: string) => {
  validate(parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe("the published schema", () => {
  it("accepts every config file in the documentation", () => {
    const documents = ["config", "policies", "governance", "composition", "code", "access"].map((name) =>
      readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8"),
    );
    const blocks = [...documents.join("\n").matchAll(/```yaml\n([^]*?)```/g)].map(([, text = ""]) => text);
    expect(blocks.length).toBeGreaterThan(3);
    for (const text of blocks) expect({ text, faults: faultsIn(text) }).toEqual({ text, faults: [] });
  });

  it.each(projectKinds)("accepts the config of a new project: %s", (kind) => {
    const text = projectFiles({ name: "mine", kind, isTypescript: true, versions: {} })["biplane.yaml"] ?? "";
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/node_modules\/biplane\/dist\/biplane\.schema\.json\n/);
    expect(faultsIn(text)).toEqual([]);
  });

  it("accepts every config that the program accepts", () => {
    const anything = validatorFor({});
    fc.assert(
      fc.property(arbitraryConfig(), (config) => {
        anything(config);
        expect(anything.errors ?? []).toEqual([]);
      }),
      runs(200),
    );
  });

  it.each([
    "limits: { perPrincipal: { perSecond: '${RATE}', burst: 20 } }",
    "mode: ${MODE:-production}",
    "listen: http://${HOST}:${PORT}",
    "auth: { openTrainerDoors: true }",
    "packs: { script: { root: ./scripts, allowlist: [weather, { name: jokes, sha256: '${HASH}' }] } }",
    "environments: [taxi, ./mine.ts]",
    "policies: [{ tool: '*', arguments: { to: { not: { like: '*@example.com' } } }, ask: 'Send it?' }]",
  ])("accepts %s", (text) => {
    expect(faultsIn(text)).toEqual([]);
  });

  it.each([
    ["mdoe: production", "additional properties"],
    ["mode: prodcution", "/mode"],
    ["limits: { perPrincipal: { perSecond: 1, burts: 2 } }", "/limits/perPrincipal"],
    ["packs: { wrokspace: {} }", "/packs"],
    ["packs: { workspace: { rot: ./x } }", "/packs/workspace"],
    ["environments: [taxy]", "/environments/0"],
    ["policies: [{ tool: x }]", "/policies/0"],
    ["policies: [{ tool: x, allow: true, ask: why }]", "/policies/0"],
    ["policies: [{ tool: x, arguments: { amount: { mn: 3 } }, allow: true }]", "/policies/0/arguments/amount"],
    ["auth: { tokens: [{ kind: token }] }", "/auth/tokens/0"],
  ])("rejects %s", (text, place) => {
    expect(faultsIn(text).join("\n")).toContain(place);
    expect(complaint(text, { known })).not.toBe("");
  });

  it("knows the keys of a rule that the program knows", () => {
    const [, listed = ""] = /zzz is not a known key; there are (.*)/.exec(complaint("policies: [{ zzz: 1 }]")) ?? [];
    const { properties } = publishedSchema({}) as { properties: { policies: { items: { properties: object } } } };
    expect(Object.keys(properties.policies.items.properties).sort()).toEqual(listed.split(", ").sort());
  });

  it("describes every setting in words, without links", () => {
    const { properties } = publishedSchema(known) as { properties: Record<string, { description?: string }> };
    for (const { description } of Object.values(properties)) expect(description).toMatch(/^[^\]]+$/);
  });
});
