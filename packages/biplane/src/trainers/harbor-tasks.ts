import { BiplaneError } from "@biplane/core";
import { harborEpisode } from "./harbor-episode.ts";
import type { TrainerExport, TrainerTask } from "./trainer-task.ts";

export interface HarborOptions extends Omit<TrainerExport, "url"> {
  /** What `biplane harbor serve` serves in the container: a built-in environment, or a path in the image. */
  readonly target: string;
  /** The image with the environment (default: one with Biplane alone). */
  readonly image: string | undefined;
  /** The version of Biplane to install without an image. */
  readonly version: string;
}

/** Task folders for Harbor: text by path. Each has a container with one episode, and a script that reads its reward. */
export function harborTasks(options: HarborOptions): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const task of options.tasks) {
    const name = taskName(`${options.name}-${task.id}`);
    if (`${name}/task.toml` in files)
      throw new BiplaneError("INVALID_INPUT", `Two rows give the task ${name}. Give each row its own id.`);
    for (const [path, text] of Object.entries(taskFiles(name, task, options))) files[`${name}/${path}`] = text;
  }
  return files;
}

function taskName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function taskFiles(name: string, task: TrainerTask, options: HarborOptions): Record<string, string> {
  return {
    "task.toml": taskConfig(name, options),
    "instruction.md": instruction(task),
    "environment/Dockerfile": "FROM debian:stable-slim\nWORKDIR /app\n",
    "environment/docker-compose.yaml": compose(task, options),
    ...(options.image === undefined && { "environment/biplane/Dockerfile": biplaneImage(options.version) }),
    "tests/Dockerfile": "FROM debian:stable-slim\nCOPY test.sh /tests/test.sh\n",
    "tests/test.sh": testScript,
  };
}

/** The score is read in the container of the environment, after the agent has stopped. The agent cannot reach it. */
function taskConfig(name: string, { name: environment }: HarborOptions): string {
  const { path, port, service, rewardFile } = harborEpisode;
  return `schema_version = "1.4"
artifacts = [{ source = "${rewardFile}", service = "${service}" }]

[task]
name = "biplane/${name}"
description = ${JSON.stringify(`The environment ${environment}, played over MCP.`)}

[agent]
timeout_sec = 600.0

[verifier]
timeout_sec = 60.0
environment_mode = "separate"

[[verifier.collect]]
service = "${service}"
command = "npx biplane harbor score --out ${rewardFile}"

[[environment.mcp_servers]]
name = "${service}"
transport = "streamable-http"
url = "http://${service}:${port}${path}"
`;
}

function instruction({ system, prompt }: TrainerTask): string {
  const parts = [system, prompt, `Play with the tools of the MCP server \`${harborEpisode.service}\`.`];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function compose({ seed, config }: TrainerTask, { target, image }: HarborOptions): string {
  const episode = JSON.stringify({ ...(seed !== null && { seed }), config });
  const command = ["npx", "biplane", "harbor", "serve", target, "--episode", episode];
  const check = ["CMD", "npx", "biplane", "harbor", "score"];
  return `services:
  main:
    depends_on:
      ${harborEpisode.service}:
        condition: service_healthy
  ${harborEpisode.service}:
    ${image === undefined ? "build: ./biplane" : `image: ${JSON.stringify(image)}`}
    command: ${composeList(command)}
    healthcheck:
      test: ${composeList(check)}
      interval: 5s
      timeout: 10s
      retries: 12
`;
}

/** Compose replaces variables after a dollar sign. */
function composeList(words: readonly string[]): string {
  return JSON.stringify(words).replaceAll("$", "$$$$");
}

function biplaneImage(version: string): string {
  return `FROM node:22-slim
WORKDIR /app
RUN npm install biplane@${version} && mkdir /biplane && chown node /biplane
USER node
`;
}

const testScript = `#!/bin/sh
# Without a reward there is no file, and Harbor reports the trial as failed. A reward of 0 would blame the agent.
if [ -f ${harborEpisode.rewardFile} ]; then cp ${harborEpisode.rewardFile} /logs/verifier/reward.json; fi
`;
