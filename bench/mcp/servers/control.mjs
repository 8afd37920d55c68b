// Shared by all servers under test: reports the port, and the CPU time and memory on request.
import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Reports the port to the parent process, and answers its requests for the CPU time or the memory. */
export function ready(port) {
  process.on("message", (what) => {
    process.send(what === "memory" ? memoryAfterCollection() : { cpu: process.cpuUsage() });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port });
}

function memoryAfterCollection() {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed };
}

/** Starts a `node:http` server on any free port. */
export function listen(http) {
  http.keepAliveTimeout = 60_000;
  http.listen(0, "127.0.0.1", () => ready(http.address().port));
}

/** A free port, for servers that cannot choose one. */
export function freePort() {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
