import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packedPackages } from "./support/packed.ts";
import { runToEnd } from "./support/project.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const { version, dependencies } = JSON.parse(read("packages/biplane/package.json")) as Manifest;
const release = (...words: string[]) =>
  runToEnd(process.execPath, ["scripts/release.mjs", ...words], {
    cwd: root,
    env: { npm_config_prefer_offline: "true" },
    timeoutMs: 120_000,
  });

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

test("a tag that is not the version of every package is refused", async () => {
  expect(await release("check", "v9.9.9")).toMatchObject({ code: 1, stderr: expect.stringContaining("v9.9.9") });
  expect((await release("check", "latest")).stderr).toBe('"latest" is not a tag such as v1.2.3.\n');
  expect((await release("publsh")).stderr).toMatch(/^Pass one of check, notes, tag, sbom, publish\./);
});

test("a changelog section without a date is refused", async () => {
  const isUnreleased = read("CHANGELOG.md").includes(`## [${version}] - unreleased`);
  const { code, stderr } = await release("check", `v${version}`);
  expect([code, stderr]).toEqual(
    isUnreleased ? [1, `The heading of ${version} in CHANGELOG.md has no date.\n`] : [0, ""],
  );
});

test("the notes are the section of the changelog", async () => {
  const { stdout } = await release("notes", `v${version}`);
  expect(stdout).toMatch(/^### Added\n/);
  expect(stdout).not.toMatch(/^## /m);
});

test("a version with a suffix is not the latest", async () => {
  expect((await release("tag", "v1.0.0")).stdout).toBe("latest\n");
  expect((await release("tag", "v1.0.0-rc.1")).stdout).toBe("next\n");
});

test("the bill of materials has every package that is installed, and no path of this machine", async () => {
  const { code, stdout } = await release("sbom", await packedPackages());
  expect(code).toBe(0);
  const bill = JSON.parse(stdout) as { bomFormat: string; components: { name: string; purl: string }[] };
  expect(bill.bomFormat).toBe("CycloneDX");
  const listed = bill.components.map(({ purl }) => decodeURIComponent(purl));
  for (const [name, range] of Object.entries(dependencies)) expect(listed).toContain(`pkg:npm/${name}@${range}`);
  expect(stdout).not.toContain("file:");
}, 120_000);

test("the release workflow runs scripts and tests that exist", () => {
  const text = read(".github/workflows/release.yml");
  parse(text);
  const named = [...text.matchAll(/(?:scripts|test)\/[\w./-]+\.(?:mjs|ts)/g)].map(([path]) => path);
  expect(new Set(named)).toEqual(
    new Set([
      "scripts/release.mjs",
      "scripts/pack.mjs",
      "scripts/single-file.mjs",
      "test/package.process.test.ts",
      "test/new-user.process.test.ts",
    ]),
  );
  for (const path of named) expect(read(path)).not.toBe("");
});
