import { argument, command, file, toggle, folder, option } from "./command/define.ts";
import { statSync } from "node:fs";
import { access, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { didYouMean } from "./terminal/did-you-mean.ts";
import { gallery } from "@biplane/gallery";
import { usageError } from "./command/exit-code.ts";
import { version } from "../host/version.ts";

/** `biplane image ./my-env.ts`: writes a Dockerfile in the layout that OpenEnv's tools expect. */
export const imageCommand = command("Write a Dockerfile that serves a file or built-in environments on port 8000", {
  args: {
    file: argument("The file to serve, as for biplane serve", { takes: file, required: false }),
    env: option("Built-in environments, comma-separated", { takes: { kind: "environments" } }),
    folder: option("Where to write the Dockerfile", { takes: folder, default: "." }),
    force: toggle("Overwrite an existing Dockerfile"),
  },
  run: async ({ args }) => {
    if (!args.file && !args.env) throw usageError("Pass a file or --env.");
    if (args.file) mustBeFile(args.file);
    for (const name of args.env?.split(",") ?? []) mustBeEnvironment(name.trim());
    const target = join(resolve(args.folder), "Dockerfile");
    const exists = await access(target).then(
      () => true,
      () => false,
    );
    if (exists && !args.force)
      throw new BiplaneError("INVALID_DEFINITION", `${target} already exists. Pass --force to overwrite it.`);
    await writeFile(
      `${target}.new`,
      dockerfile([...(args.file ? [args.file] : []), ...(args.env ? ["--env", args.env] : [])]),
    );
    await rename(`${target}.new`, target);
    process.stdout.write(`Wrote ${target}\n\n  docker build -t my-env .\n  docker run -p 8000:8000 my-env\n`);
  },
});

function mustBeFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  const hint = Object.hasOwn(gallery, file) ? `For the built-in environment, pass --env ${file}.` : fileHint;
  throw usageError(`${JSON.stringify(file)} is not a file. ${hint}`);
}

const fileHint = "Pass the module that exports your server or environment, such as ./src/environment.ts.";

function mustBeEnvironment(name: string): void {
  if (Object.hasOwn(gallery, name)) return;
  const known = Object.keys(gallery);
  const hint = didYouMean(name, known, `There are ${known.join(", ")}.`);
  throw usageError(`${JSON.stringify(name)} is not a built-in environment. ${hint}`);
}

/** Installs at build time, so that a container is healthy within seconds. */
function dockerfile(what: readonly string[]): string {
  const command = ["npx", "biplane", "serve", ...what, "--url", "http://0.0.0.0:8000", "--open-trainer-endpoints"];
  return `# Serves on port 8000 without credentials. Run it on a network that only trainers can reach.
FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package*.json ./
RUN if [ -f package-lock.json ]; then npm ci --omit=dev; elif [ -f package.json ]; then npm install --omit=dev; fi; \\
    [ -e node_modules/biplane ] || npm install biplane@${version}
COPY . .
USER node
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=2s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8000/health').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ${JSON.stringify(command)}
`;
}
