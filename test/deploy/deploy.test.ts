import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { commands as groups } from "../../packages/biplane/src/cli/command/commands.ts";
import { configSchema } from "../../packages/biplane/src/config/config-schema.ts";
import { loadConfig } from "../../packages/biplane/src/config/load-config.ts";

const folder = new URL("../../deploy/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");

test("the config of the fleet is in order, and takes passwords from the environment", async () => {
  const tokens = { BIPLANE_AGENT_TOKEN: "a".repeat(40), BIPLANE_MONITOR_TOKEN: "b".repeat(40) };
  const { config } = await loadConfig({
    file: new URL("biplane.yaml", folder).pathname,
    environment: { ...tokens, BIPLANE_STORE: "postgres://biplane@postgres/biplane" },
  });
  expect(config.mode).toBe("production");
  expect(config.policies, "production mode needs policies").toBeDefined();
  expect(config.auth.tokens?.map(({ token }) => token)).toEqual(Object.values(tokens));
});

test("every file names commands, variables and paths that exist", () => {
  const commands = new Set(Object.values(groups).flatMap(Object.keys));
  const variables = new Set([
    ...[...JSON.stringify(configSchema).matchAll(/"environment":"(BIPLANE_\w+)"/g)].map(([, name]) => name),
    "BIPLANE_CONFIG",
    "BIPLANE_SECRETS_KEY",
    ...[...read("biplane.yaml").matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name),
  ]);
  for (const file of ["compose.yaml", "example.env", "kubernetes/biplane.yaml", "systemd/biplane.service"])
    for (const [name] of read(file).matchAll(/BIPLANE_\w+/g)) expect(variables, `${name} in ${file}`).toContain(name);
  const named = [
    ...read("systemd/biplane.service").matchAll(/biplane (\w+)$/gm),
    ...read("systemd/biplane-worker@.service").matchAll(/biplane (\w+)$/gm),
    ...read("kubernetes/biplane.yaml").matchAll(/args: \[(\w+)\]/g),
    ...read("compose.yaml").matchAll(/command: \["(\w+)"\]/g),
    ...read("Dockerfile").matchAll(/^CMD \["(\w+)"/gm),
  ].map(([, name]) => name as string);
  expect(new Set(named)).toEqual(new Set(["serve", "worker"]));
  for (const name of named) expect(commands).toContain(name);
  const probes = [...read("kubernetes/biplane.yaml").matchAll(/path: (\/\w+)/g)].map(([, path]) => path);
  expect(probes).toEqual(["/readyz", "/healthz"]);
});

test("the manifests are YAML in which every selector finds its pods", () => {
  const documents = parseAllDocuments(read("kubernetes/biplane.yaml"));
  const manifests = documents.map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
  const pods = manifests.flatMap(({ spec }) => spec.template?.metadata.labels.app ?? []);
  for (const { kind, spec } of manifests) {
    const selected = kind === "Service" ? spec.selector?.app : spec.selector?.matchLabels?.app;
    if (selected !== undefined) expect(pods).toContain(selected);
  }
  expect(manifests.map(({ kind }) => kind)).toEqual([
    "Deployment",
    "Service",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
    "Deployment",
  ]);
  expect(parseAllDocuments(read("compose.yaml"), { merge: true })[0]?.errors).toEqual([]);
});

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly selector?: { readonly app?: string; readonly matchLabels?: { readonly app: string } };
    readonly template?: { readonly metadata: { readonly labels: { readonly app: string } } };
  };
}
