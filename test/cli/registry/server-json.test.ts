import { expect, test } from "vitest";
import { server } from "biplane";
import { serverJson } from "../../../packages/biplane/src/cli/registry/server-json.ts";

const crm = server({ name: "crm", version: "3.0.0", title: "Customers", description: "Finds customers" });
const manifest = {
  name: "@acme/crm",
  version: "1.2.3",
  mcpName: "io.github.acme/crm",
  bin: "./bin.js",
  repository: { url: "git+https://github.com/acme/crm.git" },
};

test("a package and a running server are described as the registry wants it", () => {
  const url = "https://tools.example.com/mcp";
  expect(serverJson(crm, { name: "io.github.acme/crm", manifest, url, secrets: ["CRM_TOKEN"] })).toEqual({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: "io.github.acme/crm",
    title: "Customers",
    description: "Finds customers",
    version: "1.2.3",
    repository: { url: "https://github.com/acme/crm", source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: "@acme/crm",
        version: "1.2.3",
        runtimeHint: "npx",
        transport: { type: "stdio" },
        environmentVariables: [{ name: "CRM_TOKEN", isRequired: true, isSecret: true }],
      },
    ],
    remotes: [{ type: "streamable-http", url }],
  });
});

test("texts have one line of up to 100 characters, as the schema of the registry demands", () => {
  const long = server({ name: "long", version: "1.0.0", title: "T".repeat(120), description: `a\n${"😀".repeat(80)}` });
  const url = "https://tools.example.com/mcp";
  const { title, description } = serverJson(long, { name: "a.b/long", url }) as Record<string, string>;
  expect(title).toBe(`${"T".repeat(99)}…`);
  expect(description).toMatch(/^a 😀+…$/u);
  expect(description?.length).toBeLessThanOrEqual(100);
  const blank = server({ name: "blank", version: "1.0.0", title: " ", description: "" });
  expect(() => serverJson(blank, { name: "a.b/blank", url })).toThrow("needs a description");
});

test.each<[string, object, string]>([
  ["a name without a namespace", { name: "crm", manifest }, "io.github.ada/crm"],
  ["nothing to start", { name: "a.b/crm" }, "--package"],
  ["a package of someone else", { name: "a.b/crm", manifest }, '"mcpName": "a.b/crm"'],
  ["a package without a program", { name: manifest.mcpName, manifest: { ...manifest, bin: undefined } }, "no bin"],
  ["a range of versions", { name: manifest.mcpName, manifest: { ...manifest, version: "^1" } }, "exact version"],
  ["a local URL", { name: "a.b/crm", url: "http://127.0.0.1:8000/mcp" }, "https URL"],
])("%s is refused, with what to do", (_, options, message) => {
  expect(() => serverJson(crm, options as never)).toThrow(message);
});
