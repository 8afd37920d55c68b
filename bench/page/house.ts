import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server with the page in a process of its own, which has read nothing yet. */
export async function startHouse(file: string): Promise<House> {
  const child = fork(fileURLToPath(new URL("house.mjs", import.meta.url)), [file], {
    execArgv: ["--import", "tsx", "--conditions=biplane-source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [said] = (await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the server ended with code ${code}`))),
  ])) as [{ url: string }];
  return {
    url: said.url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

export interface House extends AsyncDisposable {
  readonly url: string;
}
