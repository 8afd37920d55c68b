import { existsSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { loadConfig } from "../../config/load-config.ts";
import { usageError } from "../command/exit-code.ts";
import type { WrittenTarget } from "../target/read-target.ts";
import type { HttpServer, StdioServer } from "./hosts.ts";
import { thisProgram } from "./this-program.ts";

/** A server to list in a host's settings, with a name for it. */
export type InstalledServer = { readonly name: string } & (
  | { readonly stdio: StdioServer }
  | { readonly http: HttpServer }
);

export interface InstalledServerOptions {
  /** The config file to serve if there is no target (default: biplane.yaml). */
  readonly config?: string | undefined;
  readonly bearer?: HttpServer["bearer"] | undefined;
  /** True if the host cannot connect to a URL, so that a proxy does. */
  readonly needsStdio: boolean;
  /** True for settings that are shared with others: no paths of this machine. */
  readonly isForProject: boolean;
}

/** What a host starts or connects to for a target. */
export async function installedServer(
  target: WrittenTarget | undefined,
  options: InstalledServerOptions,
): Promise<InstalledServer> {
  const { isForProject } = options;
  const path = (file: string) => (isForProject ? `./${relative(process.cwd(), resolve(file))}` : resolve(file));
  const start = (...args: string[]): StdioServer =>
    isForProject
      ? { command: "npx", args: ["biplane", ...args] }
      : { ...thisProgram(), args: [...thisProgram().args, ...args] };
  if (!target) {
    const file = options.config ?? "biplane.yaml";
    if (!existsSync(file)) throw usageError(`There is no ${file} here. ${whatToPass}`);
    const { config } = await loadConfig({ file, only: ["name"] });
    const name = config.name ?? basename(resolve(file, ".."));
    return { name, stdio: start("serve", "--config", path(file), "--stdio") };
  }
  switch (target.kind) {
    case "url":
      return urlServer(target.url, { ...options, start });
    case "command":
      return { name: basename(target.command), stdio: { command: target.command, args: target.args } };
    case "module":
      return { name: stem(target.file), stdio: start("serve", path(existing(target.file)), "--stdio") };
    case "environment":
      return { name: target.name, stdio: start("serve", "--env", target.name, "--stdio") };
    case "pack": {
      const folder = target.folder === undefined ? "" : `=${path(target.folder)}`;
      return { name: target.name, stdio: start("serve", "--pack", `${target.name}${folder}`, "--stdio") };
    }
    case "config": {
      const server = target.server === undefined ? "" : `#${target.server}`;
      const name = target.server ?? stem(target.file);
      return { name, stdio: start("proxy", `${path(existing(target.file))}${server}`) };
    }
    case "recording":
      return { name: stem(target.file), stdio: start("replay-server", path(existing(target.file)), "--url", "stdio") };
  }
}

const whatToPass =
  "Pass what to install: a module (./server.ts), a URL, a built-in environment, a pack, or a command after --.";

interface UrlOptions extends InstalledServerOptions {
  readonly start: (...args: string[]) => StdioServer;
}

function urlServer(url: string, { bearer, needsStdio, start }: UrlOptions): InstalledServer {
  if (!URL.canParse(url)) throw usageError(`${JSON.stringify(url)} is not a URL.`);
  const { hostname, port, protocol } = new URL(url);
  const name = port === "" ? hostname : `${hostname}-${port}`;
  if (!needsStdio && /^https?:$/.test(protocol)) return { name, http: { url, ...(bearer && { bearer }) } };
  if (!bearer) return { name, stdio: start("proxy", url) };
  const variable = "variable" in bearer ? bearer.variable : "BIPLANE_TOKEN";
  const env = "token" in bearer ? { env: { [variable]: bearer.token } } : {};
  return { name, stdio: { ...start("proxy", url, "--bearer", `$${variable}`), ...env } };
}

function existing(file: string): string {
  if (!existsSync(file)) throw usageError(`${file} does not exist.`);
  return file;
}

function stem(file: string): string {
  const name = basename(file).replace(/\.\w+$/, "");
  return name === "index" || name === "server" ? basename(resolve(file, "..", "..")) : name;
}
