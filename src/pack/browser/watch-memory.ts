import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";

/** Ends the process of any page that takes more memory than this. Only Linux says how much that is. */
export async function watchMemory(browser: Browser, maxBytes: number): Promise<Disposable> {
  if (process.platform !== "linux") return { [Symbol.dispose]: () => undefined };
  const session = await browser.newBrowserCDPSession();
  const look = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    for (const { type, id } of processInfo) {
      if (type === "renderer" && (await memoryOf(id)) > maxBytes) process.kill(id, "SIGKILL");
    }
  };
  // A process may end while it is looked at, and the browser too.
  const timer = setInterval(() => void look().catch(() => undefined), 500).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** What only this process has, in bytes. Nothing where the number is no longer that of a page's process. */
async function memoryOf(id: number): Promise<number> {
  const command = await readFile(`/proc/${id}/cmdline`, "utf8");
  if (!command.includes("--type=renderer")) return 0;
  const status = await readFile(`/proc/${id}/status`, "utf8");
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map(([, size]) => Number(size));
  return kilobytes.reduce((sum, size) => sum + size, 0) * 1024;
}
