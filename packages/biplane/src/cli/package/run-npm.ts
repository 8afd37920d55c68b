import { execFile } from "node:child_process";
import { BiplaneError } from "@biplane/core";

/** Runs npm to its end and returns what it prints. Throws what it complains about. */
export function runNpm(args: readonly string[], { cwd }: { readonly cwd: string }): Promise<string> {
  // A child npm must not inherit the settings of an npm that started this program.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name)));
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024, shell: process.platform === "win32" };
  return new Promise((resolve, reject) => {
    execFile("npm", [...args], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const why = stderr.trim().split("\n").slice(-5).join("\n") || error.message;
      const message = `npm ${args[0]} failed in ${cwd}:\n${why}`;
      reject(new BiplaneError("EXECUTION_ERROR", message, { cause: error }));
    });
  });
}
