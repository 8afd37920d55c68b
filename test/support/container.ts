import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { runToEnd } from "./project.ts";
import type { Ended } from "./project.ts";

/** Why Dockerfiles cannot be run here, or undefined. */
export function containerFault(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "root on Linux";
  try {
    execFileSync("unshare", ["--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"], {
      stdio: "ignore",
    });
    return undefined;
  } catch {
    return "unshare and mount";
  }
}

/**
 * A root file system in which each instruction of a Dockerfile runs as Docker would run it: the programs of this
 * machine take the place of the base image, and a user `node` with id 1000 exists.
 */
export class Container implements AsyncDisposable {
  readonly root: string;
  #directory = "/";
  #user = "root";
  #environment: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  #entryPoint: string[] = [];
  #command: string[] = [];
  #healthCheck: string[] = [];

  private constructor(root: string) {
    this.root = root;
  }

  /** Runs every instruction. Throws with the output of the first that fails. Returns the last stage. */
  static async build(context: string, dockerfile: string): Promise<Container> {
    const stages = new Map<string, Container>();
    const lines = dockerfile.replaceAll("\\\n", " ").split("\n");
    let container = await Container.#empty();
    try {
      for (const line of lines.filter((each) => each.trim() !== "" && !each.startsWith("#"))) {
        if (!line.startsWith("FROM ")) await container.#perform(line, { context, stages });
        else {
          if (stages.size > 0) container = await Container.#empty();
          stages.set(/ AS (\w+)$/.exec(line)?.[1] ?? String(stages.size), container);
        }
      }
      return container;
    } finally {
      for (const stage of stages.values()) if (stage !== container) await stage[Symbol.asyncDispose]();
    }
  }

  static async #empty(): Promise<Container> {
    const root = await mkdtemp(join(tmpdir(), "biplane-root-"));
    await chmod(root, 0o755);
    for (const folder of [...systemFolders, "dev", "proc", "tmp", "root", "npm-cache", "etc"])
      await mkdir(join(root, folder));
    await chmod(join(root, "tmp"), 0o1777);
    await writeFile(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n");
    await writeFile(join(root, "etc/group"), "root:x:0:\nnode:x:1000:\n");
    for (const file of ["resolv.conf", "hosts", "nsswitch.conf", "npmrc"])
      await cp(join("/etc", file), join(root, "etc", file), { dereference: true }).catch(() => undefined);
    await cp("/etc/ssl", join(root, "etc/ssl"), { recursive: true }).catch(() => undefined);
    return new Container(root);
  }

  /** Starts its command, with more variables, as `docker run -e` does, and waits until it serves. */
  async serve(environment: Readonly<Record<string, string>> = {}): Promise<{ stop(): Promise<void> }> {
    const { command, args } = this.#entered([...this.#entryPoint, ...this.#command], environment);
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
    const closed = once(child, "close");
    const lines: string[] = [];
    const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
    const ended = closed.then(() => Promise.reject(new Error(`It ended:\n${lines.join("\n")}`)));
    while (!lines.some((line) => line.includes("Ctrl-C"))) await Promise.race([once(reader, "line"), ended]);
    ended.catch(() => undefined);
    const stop = async () => {
      // unshare ignores SIGTERM, so that it goes to what unshare started.
      const started = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
      process.kill(Number(started.trim()), "SIGTERM");
      await closed;
    };
    return { stop };
  }

  /** Runs its command to its end. */
  run(environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const { command, args } = this.#entered([...this.#entryPoint, ...this.#command], environment);
    return runToEnd(command, args, { cwd: "/", timeoutMs: 60_000 });
  }

  async isHealthy(): Promise<boolean> {
    const { command, args } = this.#entered(this.#healthCheck);
    return (await runToEnd(command, args, { cwd: "/" })).code === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true });
  }

  async #perform(line: string, sources: Sources): Promise<void> {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    switch (name) {
      case "EXPOSE":
        return;
      case "WORKDIR":
        this.#directory = rest;
        return void (await mkdir(join(this.root, rest), { recursive: true }));
      case "ENV": {
        const [key = "", ...value] = rest.split("=");
        this.#environment[key] = value.join("=");
        return;
      }
      case "COPY":
        return this.#copy(rest.split(/\s+/), sources);
      case "RUN":
        return this.#runShell(rest);
      case "USER":
        this.#user = rest;
        return;
      case "VOLUME":
        return void (await mkdir(join(this.root, rest), { recursive: true }));
      case "HEALTHCHECK":
        this.#healthCheck = JSON.parse(/CMD (\[.*\])$/.exec(rest)?.[1] ?? "[]") as string[];
        return;
      case "ENTRYPOINT":
        this.#entryPoint = JSON.parse(rest) as string[];
        return;
      case "CMD":
        this.#command = JSON.parse(rest) as string[];
        return;
      default:
        throw new Error(`The test does not know the instruction ${line}`);
    }
  }

  async #copy(words: readonly string[], { context, stages }: Sources): Promise<void> {
    const valueOf = (name: string) => words.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
    const owner = valueOf("chown");
    const source = stages.get(valueOf("from") ?? "")?.root ?? context;
    const paths = words.filter((each) => !each.startsWith("--"));
    const target = join(this.root, resolve(this.#directory, paths.at(-1) ?? "."));
    const ignored = new Set((await readFile(join(source, ".dockerignore"), "utf8").catch(() => "")).split("\n"));
    for (const path of paths.slice(0, -1)) {
      const from = join(source, path);
      const isFolder = path === "." || (await readdir(from).catch(() => undefined)) !== undefined;
      const to = isFolder ? target : join(target, basename(from));
      await mkdir(dirname(to), { recursive: true });
      await cp(from, to, {
        recursive: true,
        filter: (each) => dirname(each) !== source || !ignored.has(basename(each)),
      });
    }
    if (owner !== undefined) execFileSync("chown", ["-R", owner.replace(/node/g, "1000"), target]);
  }

  async #runShell(script: string): Promise<void> {
    const { command, args } = this.#entered(["/bin/sh", "-c", script]);
    const { code, stdout, stderr } = await runToEnd(command, args, { cwd: "/", timeoutMs: 300_000 });
    if (code !== 0) throw new Error(`RUN ${script} exited with ${code}\n${stdout}\n${stderr}`);
  }

  /** A command line that runs another inside of the root, with processes and mounts of its own. */
  #entered(command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const mounts = [
      ...systemFolders.map((each) => `mount --rbind -o ro /${each} '${this.root}/${each}'`),
      `mount --rbind /dev '${this.root}/dev'`,
      `mount --bind '${npmCache}' '${this.root}/npm-cache'`,
      `mount -t proc proc '${this.root}/proc'`,
    ];
    const id = this.#user === "root" ? "0:0" : "1000:1000";
    const home = this.#user === "root" ? "/root" : "/home/node";
    const forNpm = {
      npm_config_cache: "/npm-cache",
      npm_config_prefer_offline: "true",
      npm_config_registry: npmRegistry,
    };
    const variables = Object.entries({ HOME: home, ...forNpm, ...this.#environment, ...environment });
    const inside = `cd '${this.#directory}' && exec "$@"`;
    return {
      command: "unshare",
      args: [
        "--mount",
        "--pid",
        "--fork",
        "/bin/sh",
        "-c",
        `${mounts.join(" && ")} && exec chroot --userspec=${id} '${this.root}' /usr/bin/env -i "$@"`,
        "sh",
        ...variables.map(([key, value]) => `${key}=${value}`),
        "/bin/sh",
        "-c",
        inside,
        "sh",
        ...command,
      ],
    };
  }
}

/** Where files are copied from. */
interface Sources {
  readonly context: string;
  readonly stages: ReadonlyMap<string, Container>;
}

const systemFolders = ["usr", "bin", "sbin", "lib", "lib64"];
const npmCache = execFileSync("npm", ["config", "get", "cache"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
}).trim();

/** That of this machine, wherever it is set. */
const npmRegistry = execFileSync("npm", ["config", "get", "registry"], { cwd: tmpdir(), encoding: "utf8" }).trim();
