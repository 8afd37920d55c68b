// Writes what `biplane nemo-gym` writes, and lets NeMo Gym play it: nemo-gym.mjs URL HOME
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nemoGymFiles } from "../packages/biplane/src/cli/nemo-gym/files.ts";
import { datasetRows } from "../packages/biplane/src/cli/nemo-gym/rows.ts";
import { pythonName } from "../packages/biplane/src/trainers/python-name.ts";
import { makers, replayChecks } from "./replay.mjs";

const [url, home] = process.argv.slice(2);
const folder = join(home, "resources_servers");
rmSync(folder, { recursive: true, force: true });
for (const name of ["frozen-lake", "taxi", "blackjack", "fragile"]) await writeFor(name);
await replayChecks("nemo_gym_servers.py", [url, home], [folder]);

async function writeFor(environment) {
  const made = makers[environment]();
  const rows = await datasetRows(made, { split: "train", most: 8 });
  await made.close();
  const name = pythonName(environment);
  const server = `${url}/env/${environment}`;
  const files = nemoGymFiles({ name, url: server, folder: join(folder, name), split: "train", rows });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
}
