import { BiplaneError } from "@biplane/core";
import { isForModel } from "@biplane/core/internal";
import type { Environment } from "@biplane/core/internal";
import { stringify } from "yaml";
import type { OpenEnvProbe } from "./openenv-probe.ts";

export interface OpenEnvPackageOptions {
  readonly environment: Environment;
  readonly probe: OpenEnvProbe;
  /** Number of tasks by split. */
  readonly taskCounts: Readonly<Record<string, number>>;
  /** The folder in its Git repository, such as `envs/wordle`. */
  readonly path: string;
  /** SPDX expression. */
  readonly license: string;
  readonly tags: readonly string[];
  /** True if episodes need other hosts. */
  readonly needsNetwork: boolean;
}

/**
 * The files by which OpenEnv's tools know an environment: `openenv.yaml` for `openenv validate` (RFC 008), and
 * `discovery.json`, from which `openenv catalog build` makes the Environment Card of a Git revision (RFC 011).
 */
export function openEnvPackage(options: OpenEnvPackageOptions): Readonly<Record<string, string>> {
  return {
    "openenv.yaml": stringify(manifestOf(options)),
    "discovery.json": json(declarationOf(options)),
    [probePath]: json(options.probe),
  };
}

const probePath = "validation/runtime.json";

function manifestOf({ environment, taskCounts, tags, needsNetwork }: OpenEnvPackageOptions): object {
  const { name, version, rules } = environment;
  const hasTasks = Object.keys(taskCounts).length > 0;
  const [lowest, highest] = rules.options.rewardRange ?? [0, 1];
  return {
    spec_version: 1,
    name,
    version,
    description: descriptionOf(environment),
    type: "space",
    runtime: "docker",
    port: 8000,
    validation: {
      // A reset has the reward 0.
      reward: { range: [Math.min(lowest, 0), Math.max(highest, 0)], oracle_tolerance: 0, floor_margin: 0.1 },
      resources: { cpu: 1, memory_mb: 512, disk_mb: 1024, episode_timeout_s: 600 },
      network: { mode: needsNetwork ? "public" : "no-network" },
      capabilities: {
        verifier: { kind: "reward_channel" },
        task_api: hasTasks,
        declared_tools: toolNames(environment),
        ...(hasTasks && { declared_task_count: taskCounts }),
      },
      types: { tags },
      execution: {
        kind: "openenv_ws",
        probe_path: probePath,
        dockerfile: "Dockerfile",
        context: ".",
        agent_boundary: "api",
      },
    },
  };
}

function declarationOf({ environment, path, license, tags }: OpenEnvPackageOptions): object {
  return {
    description: descriptionOf(environment),
    tags,
    license,
    artifact_availability: "resolvable",
    agent_tools: {
      protocol: "mcp",
      names: toolNames(environment).slice(0, maxDeclaredTools),
      source: `${path}/openenv.yaml`,
    },
  };
}

const maxDeclaredTools = 256;

/** A card needs a description that an author wrote. */
function descriptionOf({ name, rules }: Environment): string {
  const { description } = rules.options;
  if (description !== undefined && description.trim() !== "") return description;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${name} has no description, which its card needs. Set it in its definition.`,
  );
}

function toolNames({ server }: Environment): string[] {
  return [...server.tools].filter(isForModel).map(({ name }) => name);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
