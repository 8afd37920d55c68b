import { BiplaneError } from "@biplane/core";
import { Environment, splitNames } from "@biplane/core/internal";
import { pythonName } from "../trainers/python-name.ts";
import { argument, command, countFromOne, folder, option } from "./command/define.ts";
import { writeProject } from "./init/write-project.ts";
import { nemoGymFiles } from "./nemo-gym/files.ts";
import { datasetRows } from "./nemo-gym/rows.ts";
import { openServed } from "./target/open-served.ts";
import { readTarget } from "./target/read-target.ts";
import { shellArgument } from "./terminal/shell-quote.ts";

/** `biplane nemo-gym ./environment.ts`: what NeMo Gym needs to train on an environment that Biplane serves. */
export const nemoGymCommand = command("Write the config, the forwarding server and the dataset for NeMo Gym", {
  args: {
    file: argument("The environment: a module (./environment.ts), or a built-in one (frozen-lake)", {
      takes: { kind: "targets" },
      required: true,
    }),
    server: option("URL of the Biplane server that serves the environment", { default: "http://127.0.0.1:8000" }),
    split: option("Split of the environment's tasks (default: the first one)"),
    number: option("Maximum number of rows", { alias: "n", takes: countFromOne, default: "100" }),
    folder: option("Folder to write (default: resources_servers/<environment>)", { takes: folder }),
  },
  run: async ({ args }) => {
    await using served = await openServed(readTarget(args.file));
    if (!(served instanceof Environment))
      throw new BiplaneError("INVALID_DEFINITION", `${args.file} is a server without episodes. Pass an environment.`);
    const [first = ""] = splitNames(served);
    const split = args.split ?? first;
    const rows = await datasetRows(served, { split, most: Number(args.number) });
    const name = pythonName(served.name);
    const target = args.folder ?? `resources_servers/${name}`;
    const files = nemoGymFiles({ name, url: serverUrl(args.server), folder: target, split, rows });
    await writeProject(target, files);
    const list = Object.keys(files).map((file) => `  ${file}\n`);
    const config = shellArgument(`+config_paths=[${target}/configs/${name}.yaml,<your model>.yaml]`);
    process.stdout.write(`Wrote ${rows.length} rows and their server to ${target}:\n\n${list.join("")}
Next, in the folder above resources_servers:

  biplane serve ${shellArgument(args.file)}
  ng_run ${config}\n`);
  },
});

function serverUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, "");
  throw new BiplaneError("INVALID_INPUT", `--server must be a URL such as http://127.0.0.1:8000, not ${text}.`);
}
