// ORS as TRL drives it: trl-ors.mjs URL HOME
import { replayChecks } from "./replay.mjs";

await replayChecks("trl_openreward.py", process.argv.slice(2));
