import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface ForkCommandOptions {
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs this command line again in another process, with a channel for messages. */
export function forkCommand({ env, ...options }: ForkCommandOptions): ChildProcess {
  const stdio: ("ignore" | "inherit" | "ipc")[] = ["ignore", "inherit", "inherit", "ipc"];
  return fork(process.argv[1] ?? "", process.argv.slice(2), { ...options, env: { ...process.env, ...env }, stdio });
}

/** Resolves when the process has ended. Lets running calls finish, for at most 3 seconds. */
export async function stopCommand(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
  clearTimeout(timer);
}
