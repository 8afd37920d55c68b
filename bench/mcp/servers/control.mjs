// What every server under test has in common: it says where it listens, and tells its CPU time when asked.
import { createServer } from "node:net";

/** Tells the parent process that the server listens at that port, and answers its questions from now on. */
export function ready(port) {
  process.on("message", () => process.send({ cpu: process.cpuUsage() }));
  process.on("disconnect", () => process.exit());
  process.send({ port });
}

/** Starts a `node:http` server on any free port. */
export function listen(http) {
  http.keepAliveTimeout = 60_000;
  http.listen(0, "127.0.0.1", () => ready(http.address().port));
}

/** A port that is free now, for servers that must be told one. */
export function freePort() {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
