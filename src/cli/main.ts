#!/usr/bin/env node
import { runWords } from "./command/run-words.ts";
import { cleanText } from "./terminal/clean-text.ts";
import { explain } from "./terminal/explain.ts";

// Whoever reads may stop before we do, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await runWords(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`biplane: ${cleanText(explain(error))}\n`);
  process.exitCode = 1;
}
