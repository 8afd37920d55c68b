import { subject } from "./subject.ts";

// Serves the subject to the process that started this one, and tells it what happened, line by line, on stderr.
const { server, happenings } = subject();
server.watch({ onEnd: report, onError: report });
const listening = await server.serve("stdio");
await listening.closed;

function report(): void {
  process.stderr.write(`${JSON.stringify(happenings.at(-1))}\n`);
}
