import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { cache, servers } from "./peers.ts";

/** Where the executables of peers in other languages are built. */
export const executables = {
  "mcp-go": join(cache, "bin", "mcp-go"),
  "go-sdk": join(cache, "bin", "go-sdk"),
  rmcp: join(cache, "rmcp", "target", "release", "rmcp-bench"),
} as const;

/** Builds mcp-go and the official Go SDK. Returns why if that is not possible. */
export function buildGoPeers(): string | undefined {
  mkdirSync(join(cache, "bin"), { recursive: true });
  return build("Go", { command: "go", args: ["build", "-o", join(cache, "bin"), "./..."], folder: "go" });
}

/** Builds rmcp, which takes minutes the first time. Returns why if that is not possible. */
export function buildRustPeers(): string | undefined {
  return build("Rust", { command: "cargo", args: ["build", "--release", "--quiet"], folder: "rmcp" });
}

interface BuildStep {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
}

/** The sources are copied, so that nothing is written beside them. Later builds reuse the earlier ones. */
function build(language: string, { command, args, folder }: BuildStep): string | undefined {
  const cwd = join(cache, folder);
  cpSync(join(servers, folder), cwd, { recursive: true, preserveTimestamps: true });
  process.stderr.write(`Building the peers in ${language} …\n`);
  try {
    execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"], timeout: 20 * 60_000 });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? `no ${language} here` : `${command} failed`;
  }
}
