import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";

/** Kills page processes that exceed the memory limit. Works on Linux only. */
export async function watchMemory(browser: Browser, maxBytes: number): Promise<Disposable> {
  if (process.platform !== "linux") return { [Symbol.dispose]: () => undefined };
  const session = await browser.newBrowserCDPSession();
  const check = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    for (const { type, id } of processInfo) {
      if (type === "renderer" && (await memoryOf(id)) > maxBytes) process.kill(id, "SIGKILL");
    }
  };
  // A process or the browser may end during the check.
  const timer = setInterval(() => void check().catch(() => undefined), 500).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The process's private memory in bytes. 0 if the id no longer belongs to a page process. */
async function memoryOf(id: number): Promise<number> {
  const command = await readFile(`/proc/${id}/cmdline`, "utf8");
  if (!command.includes("--type=renderer")) return 0;
  const status = await readFile(`/proc/${id}/status`, "utf8");
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map(([, size]) => Number(size));
  return kilobytes.reduce((sum, size) => sum + size, 0) * 1024;
}
