import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runCommand } from "citty";
import type { CommandDef } from "citty";
import { vi } from "vitest";
import { messageOf } from "../../src/errors.ts";

const child = fileURLToPath(new URL("command-child.ts", import.meta.url));
const files = {
  tools: ["tools.ts", "toolsCommand"],
  call: ["call.ts", "callCommand"],
  inspect: ["inspect.ts", "inspectCommand"],
  proxy: ["proxy.ts", "proxyCommand"],
  serve: ["serve.ts", "serve"],
} as const;
export type CommandName = keyof typeof files;

/** How to start `biplane <name> …words` from the sources. */
export function commandLine(name: CommandName, ...words: string[]): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: ["--import", "tsx", "--conditions=biplane-source", child, ...files[name], ...words],
  };
}

/** Runs it to its end. */
export function runBiplane(
  name: CommandName,
  ...words: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { command, args } = commandLine(name, ...words);
  return new Promise((resolve) => {
    const started = execFile(command, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    started.stdin?.end();
  });
}

/** Runs it here, which is quicker: for servers that are reached by a URL. */
export async function runHere(
  name: CommandName,
  ...words: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [file, exported] = files[name];
  const module = (await import(`../../src/cli/${file.replace(".ts", "")}.ts`)) as Record<string, CommandDef>;
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const before = process.exitCode;
  const written = (spy: typeof out) => spy.mock.calls.map(([text]) => String(text)).join("");
  try {
    await runCommand(module[exported] as CommandDef, { rawArgs: words });
    return { code: Number(process.exitCode ?? 0), stdout: written(out), stderr: written(err) };
  } catch (error) {
    return { code: 1, stdout: written(out), stderr: `${written(err)}biplane: ${messageOf(error)}\n` };
  } finally {
    process.exitCode = before;
    out.mockRestore();
    err.mockRestore();
  }
}
