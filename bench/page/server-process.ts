import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Starts a server with the admin page in a new process, without warm caches. */
export async function startServer(file: string): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL("server-child.mjs", import.meta.url)), [file], {
    execArgv: ["--import", "tsx", "--conditions=biplane-source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [message] = (await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The server exited with code ${code}.`))),
  ])) as [{ url: string }];
  return {
    url: message.url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}
