import { version } from "../../host/version.ts";
import type { ProjectPackages } from "./project-packages.ts";

/** The folder with the packed packages, beside the Dockerfile. */
export const packedFolder = ".biplane-packages";

export interface DockerfileOptions {
  readonly packages: ProjectPackages;
  /** What `biplane serve` gets besides the address and the mode. */
  readonly serve: readonly string[];
  /** For trainers on a private network: simulation mode without credentials. */
  readonly isForTrainers: boolean;
}

/** A Dockerfile that installs what the lock file says, and serves on port 8000 as a user without rights. */
export function dockerfile({ packages, serve, isForTrainers }: DockerfileOptions): string {
  const mode = isForTrainers ? ["--open-trainer-endpoints"] : ["--mode", "production"];
  const command = ["node", "node_modules/biplane/bin/biplane.mjs", "serve", ...serve, "--url", "http://0.0.0.0:8000"];
  return `${isForTrainers ? forTrainers : forAgents}
FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production
# With two malloc arenas instead of one for each thread, freed memory is used again.
ENV MALLOC_ARENA_MAX=2
${install(packages)}
COPY --chown=node:node . .
RUN mkdir -p /data && chown node:node /data
ENV BIPLANE_STORE=/data/store.db
USER node
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ${JSON.stringify([...command, ...mode])}
`;
}

const forTrainers = `# Written by biplane image. Serves on port 8000 in simulation mode, without credentials.
# Run it on a network that only trainers can reach.`;

const forAgents = `# Written by biplane image. Serves on port 8000 in production mode.
# Pass what biplane.yaml reads from the environment with docker run -e. Keep /data: it has the store and its key.`;

function install({ hasManifest, hasLock, needsPacking }: ProjectPackages): string {
  const options = "--omit=dev --no-audit --no-fund";
  // Biplane is not from the registry here, so the image gets it packed, with a lock file that names it.
  if (needsPacking) return `COPY ${packedFolder} ./\nRUN npm ci ${options} && rm *.tgz`;
  if (!hasManifest) return `RUN npm install ${options} biplane@${version}`;
  if (hasLock) return `COPY package.json package-lock.json ./\nRUN npm ci ${options}`;
  return `COPY package.json ./\nRUN npm install ${options}`;
}

/** Keeps what an image must not have out of it: packages of this machine, stored data, secrets. */
export const dockerignore = `node_modules
.git
.biplane
.env
.env.*
*.log
*.mcpb
`;
