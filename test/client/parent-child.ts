// A program that connects to a process and is then killed without warning, to see what is left behind.
import { connect } from "biplane/client";

const [script = "", file = ""] = process.argv.slice(2);
await connect({ command: process.execPath, args: [script, "family", file] }, { era: "legacy", graceMs: 1000 });
process.kill(process.pid, "SIGKILL");
