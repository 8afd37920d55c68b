// ORS with its own client: ors.mjs URL HOME
import { replayChecks } from "./replay.mjs";

await replayChecks("openreward_client.py", process.argv.slice(2));
