// Writes Biplane with all its packages as one file: node scripts/single-file.mjs [folder] [packages]
// The packages are a folder of tarballs, as pack.mjs makes it, or one in which they are installed without others.
//   biplane.mjs   for any system with Node
//   biplane       on Linux, with Node in it
// At its first start, a program unpacks itself into ~/.cache/biplane, because native code and workers need real files.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = resolve(process.argv[2] ?? join(root, "packed"));
const packages = process.argv[3];
const entry = "node_modules/biplane/bin/biplane.mjs";

/** Part of both programs. The folder appears when it is complete, also if two start at once. */
const unpack = String.raw`function unpack(id, readArchive) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "biplane");
  const folder = join(cache, id);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(join(cache, ".new-"));
  const bytes = gunzipSync(readArchive());
  const end = bytes.indexOf(10);
  let at = end + 1;
  for (const [path, length] of JSON.parse(bytes.subarray(0, end).toString())) {
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    writeFileSync(join(draft, path), bytes.subarray(at, at + length));
    at += length;
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
`;

const work = mkdtempSync(join(tmpdir(), "biplane-single-"));
try {
  const archive = archiveOf(installed());
  const id = createHash("sha256").update(archive).digest("hex").slice(0, 16);
  mkdirSync(target, { recursive: true });
  writeModule(archive, id);
  if (process.platform === "linux") writeBinary(archive, id);
} finally {
  rmSync(work, { recursive: true });
}

/** Installs the packed packages as a user does, unless they are installed already. */
function installed() {
  if (packages !== undefined && existsSync(join(packages, "node_modules"))) return resolve(packages);
  const app = join(work, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  const packed = packages === undefined ? packHere() : resolve(packages);
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  const options = ["--omit=dev", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefer-offline"];
  execFileSync("npm", ["install", ...options, ...tarballs], { cwd: app, stdio: ["ignore", "ignore", "inherit"] });
  return app;
}

function packHere() {
  const packed = join(work, "packed");
  const stdio = ["ignore", "ignore", "inherit"];
  execFileSync(process.execPath, [join(root, "scripts", "pack.mjs"), packed], { stdio });
  return packed;
}

/** A line with the paths and lengths of the files, then their bytes. */
function archiveOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (each) => each.isFile() && !/\.map$|\.d\.[cm]?ts$/.test(each.name) && !each.parentPath.includes(`${sep}.bin`),
    )
    .map((each) => relative(folder, join(each.parentPath, each.name)))
    .toSorted();
  const contents = files.map((file) => readFileSync(join(folder, file)));
  const index = JSON.stringify(files.map((file, at) => [file.split(sep).join("/"), contents[at].length]));
  return gzipSync(Buffer.concat([Buffer.from(`${index}\n`), ...contents]));
}

function writeModule(archive, id) {
  const file = join(target, "biplane.mjs");
  const start = `const self = fileURLToPath(import.meta.url);
globalThis[Symbol.for("biplane.program")] = { command: process.execPath, args: [self] };
const folder = unpack(${JSON.stringify(id)}, () => {
  const text = readFileSync(self, "latin1");
  return Buffer.from(text.slice(text.lastIndexOf("\\n//") + 3), "base64");
});
await import(pathToFileURL(join(folder, ${JSON.stringify(entry)})).href);
`;
  writeFileSync(
    file,
    `#!/usr/bin/env node\n${imports("import")}\n${start}\n${unpack}\n//${archive.toString("base64")}`,
  );
  chmodSync(file, 0o755);
  process.stderr.write(`Wrote ${file}\n`);
}

/** A copy of Node with the program in it. */
function writeBinary(archive, id) {
  const file = join(target, "biplane");
  const start = `const { getRawAsset } = require("node:sea");
const { Script, constants } = require("node:vm");
globalThis[Symbol.for("biplane.program")] = { command: process.execPath, args: [] };
const folder = unpack(${JSON.stringify(id)}, () => Buffer.from(getRawAsset("app")));
const url = pathToFileURL(join(folder, ${JSON.stringify(entry)})).href;
// The file in the binary is not a module, and cannot import one by itself.
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const { emitWarning } = process;
process.emitWarning = () => undefined; // that this is experimental
new Script(\`import(\${JSON.stringify(url)})\`, { importModuleDynamically }).runInThisContext();
process.emitWarning = emitWarning;
`;
  writeFileSync(join(work, "app.gz"), archive);
  writeFileSync(join(work, "main.cjs"), `${imports("require")}\n${start}\n${unpack}`);
  const config = {
    main: join(work, "main.cjs"),
    output: join(work, "blob"),
    disableExperimentalSEAWarning: true,
    assets: { app: join(work, "app.gz") },
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--experimental-sea-config", join(work, "sea.json")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  const postject = join(root, "node_modules", "postject", "dist", "cli.js");
  const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
  execFileSync(process.execPath, [postject, file, "NODE_SEA_BLOB", join(work, "blob"), "--sentinel-fuse", fuse], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.stderr.write(`Wrote ${file}\n`);
}

function imports(kind) {
  const needed = {
    "node:fs": ["existsSync", "mkdirSync", "mkdtempSync", "readFileSync", "renameSync", "rmSync", "writeFileSync"],
    "node:os": ["homedir"],
    "node:path": ["dirname", "join"],
    "node:url": ["fileURLToPath", "pathToFileURL"],
    "node:zlib": ["gunzipSync"],
  };
  return Object.entries(needed)
    .map(([from, names]) =>
      kind === "import"
        ? `import { ${names.join(", ")} } from "${from}";`
        : `const { ${names.join(", ")} } = require("${from}");`,
    )
    .join("\n");
}
