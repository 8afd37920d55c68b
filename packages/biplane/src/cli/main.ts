#!/usr/bin/env node
import { exitCodeOf } from "./command/exit-code.ts";
import { runCli } from "./command/run-cli.ts";
import { cleanText } from "./terminal/clean-text.ts";
import { explainError } from "./terminal/explain-error.ts";

// The reader of a pipe may close it early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await runCli(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`biplane: ${cleanText(explainError(error))}\n`);
  process.exitCode = exitCodeOf(error);
}
