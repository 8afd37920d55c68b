// Steps of a release, for the release workflow and for a try on your machine:
//   node scripts/release.mjs check v0.2.0     every package has the version, and the changelog a dated section for it
//   node scripts/release.mjs notes v0.2.0     prints that section
//   node scripts/release.mjs tag v0.2.0       prints the dist-tag: latest, or next for a version such as 1.0.0-rc.1
//   node scripts/release.mjs sbom packed      prints what biplane installs, in CycloneDX's format; packed is from pack.mjs
//   node scripts/release.mjs publish v0.2.0   publishes the packages that are not published yet; --dry-run only packs them
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
// In the order in which they depend on each other.
const packages = ["core", "starlark", "gallery", "biplane"];
const [step, tag = "", ...options] = process.argv.slice(2);

const steps = {
  check() {
    const version = versionOf(tag);
    for (const name of packages) {
      const manifest = manifestOf(name);
      if (manifest.version !== version)
        fail(`${manifest.name} has version ${manifest.version}, but the tag is ${tag}.`);
      for (const [other, range] of Object.entries(manifest.dependencies ?? {}))
        if (other.startsWith("@biplane/") && range !== version) fail(`${manifest.name} depends on ${other} ${range}.`);
    }
    if (!/^## \[[^\]]+\] - \d{4}-\d\d-\d\d$/.test(sectionOf(version).heading))
      fail(`The heading of ${version} in CHANGELOG.md has no date.`);
    process.stdout.write(`${tag} is ready to be published.\n`);
  },
  notes: () => process.stdout.write(`${sectionOf(versionOf(tag)).text}\n`),
  tag: () => process.stdout.write(`${distTag()}\n`),
  sbom: () => process.stdout.write(`${JSON.stringify(billOfMaterials(resolve(tag || "packed")), undefined, 2)}\n`),
  publish() {
    steps.check();
    const isTrial = options.includes("--dry-run");
    for (const { name, version } of packages.map(manifestOf)) {
      if (!isTrial && isPublished(`${name}@${version}`)) continue;
      const more = isTrial ? ["--dry-run"] : ["--provenance"];
      npm("publish", "--access", "public", "--tag", distTag(), "--workspace", name, ...more);
      process.stdout.write(`${isTrial ? "Would publish" : "Published"} ${name}@${version} as ${distTag()}.\n`);
    }
  },
};

if (!Object.hasOwn(steps, step ?? "")) fail(`Pass one of ${Object.keys(steps).join(", ")}.`);
steps[step]();

function versionOf(given) {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(given)?.[1] ?? "";
  if (version === "") fail(`${JSON.stringify(given)} is not a tag such as v1.2.3.`);
  return version;
}

function distTag() {
  return versionOf(tag).includes("-") ? "next" : "latest";
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

/** The section of the changelog, without its heading. */
function sectionOf(version) {
  const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^(?=## )/m);
  const found = sections.find((each) => each.startsWith(`## [${version}]`));
  if (!found) fail(`CHANGELOG.md has no section for ${version}.`);
  const [heading, ...lines] = found.split("\n");
  return { heading, text: lines.join("\n").trim() };
}

/** What a user gets who installs biplane: the packed packages, and what npm installs for them. */
function billOfMaterials(packed) {
  if (!existsSync(packed)) fail(`${packed} does not exist. Run: node scripts/pack.mjs ${packed}`);
  const folder = mkdtempSync(join(tmpdir(), "biplane-sbom-"));
  try {
    const tarballs = readdirSync(packed).map((name) => join(packed, name));
    const { version } = manifestOf("biplane");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "biplane-release", version, private: true }));
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
    npmIn(folder, "install", "--package-lock-only", ...quiet, ...tarballs);
    const bill = JSON.parse(npmIn(folder, "sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev"));
    for (const component of bill.components) {
      // Paths of this machine say nothing to others.
      const isElsewhere = ({ url }) => !url.startsWith("file:");
      component.externalReferences = component.externalReferences?.filter(isElsewhere);
    }
    return bill;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isPublished(spec) {
  try {
    return npm("view", spec, "version").trim() !== "";
  } catch {
    return false;
  }
}

function npm(...args) {
  return npmIn(root, ...args);
}

function npmIn(cwd, ...args) {
  return execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
