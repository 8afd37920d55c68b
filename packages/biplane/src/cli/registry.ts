import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isRecord, messageOf } from "@biplane/core/internal";
import { loadServedFile } from "../host/served.ts";
import { argument, command, file, folder, option, toggle } from "./command/define.ts";
import { inputError } from "./command/exit-code.ts";
import { serverJson } from "./registry/server-json.ts";

/** `biplane registry ./tools.ts --name io.github.ada/crm --package .` */
export const registryCommand = command("Write server.json, which describes a server for the MCP registry", {
  args: {
    file: argument("The module whose default export is the server", { takes: file, required: true }),
    name: option("Name in the registry: io.github.<user>/<name>, or <reverse domain>/<name>", {
      required: true,
    }),
    package: option("The folder of the npm package that starts it over stdio", { takes: folder }),
    url: option("The public URL of a running server"),
    secrets: option("Environment variables with secrets that the package needs, comma-separated"),
    out: option("Where to write it", { takes: file, default: "server.json" }),
    force: toggle("Overwrite an existing file"),
  },
  run: async ({ args }) => {
    const [served] = await loadServedFile(resolve(args.file));
    if (!served) throw inputError(`${args.file} exports no server.`);
    const secrets = args.secrets?.split(",").map((each) => each.trim());
    const manifest = args.package === undefined ? undefined : await manifestIn(args.package);
    const document = serverJson(served, { name: args.name, manifest, url: args.url, ...(secrets && { secrets }) });
    try {
      await writeFile(args.out, `${JSON.stringify(document, undefined, 2)}\n`, { flag: args.force ? "w" : "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw inputError(`${args.out} already exists. Pass --force to overwrite it.`);
    }
    await served.close();
    process.stdout.write(`Wrote ${args.out}. Publish it with mcp-publisher login github && mcp-publisher publish.\n`);
  },
});

async function manifestIn(path: string): Promise<Readonly<Record<string, unknown>>> {
  const name = join(path, "package.json");
  try {
    const manifest: unknown = JSON.parse(await readFile(name, "utf8"));
    if (isRecord(manifest)) return manifest;
  } catch (error) {
    throw inputError(`${name} cannot be read: ${messageOf(error)}`);
  }
  throw inputError(`${name} is not an object.`);
}
