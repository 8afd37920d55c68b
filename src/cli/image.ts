import { access, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { version } from "./version.ts";

/** `biplane image ./my-env.ts`: writes a Dockerfile for an environment, as OpenEnv's tools expect to find one. */
export const image = defineCommand({
  meta: {
    name: "image",
    description: "Write a Dockerfile that serves a file or an environment of the gallery on port 8000",
  },
  args: {
    file: { type: "positional", description: "The file to serve, as for biplane serve", required: false },
    env: { type: "string", description: "Environments of the gallery, with commas between them" },
    folder: { type: "string", description: "Where to write it", default: "." },
    force: { type: "boolean", description: "Write over a Dockerfile that is there", default: false },
  },
  run: async ({ args }) => {
    if (!args.file && !args.env) throw new BiplaneError("INVALID_DEFINITION", "say what to serve: a file, or --env");
    const target = join(resolve(args.folder), "Dockerfile");
    const isThere = await access(target).then(
      () => true,
      () => false,
    );
    if (isThere && !args.force)
      throw new BiplaneError("INVALID_DEFINITION", `${target} is there already; --force writes over it`);
    await writeFile(
      `${target}.new`,
      dockerfile([...(args.file ? [args.file] : []), ...(args.env ? ["--env", args.env] : [])]),
    );
    await rename(`${target}.new`, target);
    process.stdout.write(`Wrote ${target}\n\n  docker build -t my-env .\n  docker run -p 8000:8000 my-env\n`);
  },
});

/** Healthy within seconds: nothing is built or fetched at start. */
function dockerfile(what: readonly string[]): string {
  const command = ["npx", "biplane", "serve", ...what, "--url", "http://0.0.0.0:8000", "--open-trainer-doors"];
  return `# Serves on port 8000. Trainers send no credentials: run it on a network that only they can reach.
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
