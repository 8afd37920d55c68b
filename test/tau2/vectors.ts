import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RewardBasis, DomainInput } from "../../packages/biplane/src/tau2/domain.ts";
import { skipWithout } from "../support/needs.ts";

/** A folder with the published data and `tau2-vectors.json`. Neither is part of this repository. */
export const dataFolder = process.env["BIPLANE_TAU2"] ?? "";

const file = join(dataFolder, "tau2-vectors.json");
const hasVectors = dataFolder !== "" && existsSync(file);

export const needsVectors = skipWithout(
  hasVectors,
  "BIPLANE_TAU2, a folder with the data of tau2-bench and its tau2-vectors.json",
);

export interface Vectors {
  readonly tasks: Readonly<Record<"retail" | "airline" | "telecom", readonly TaskVector[]>>;
  readonly sequences: readonly (CallSequence & { readonly domain: "retail" | "airline" | "telecom" })[];
}

export interface CallSequence {
  /** The task that prepared the state, if any. */
  readonly task?: string;
  readonly before: readonly string[];
  readonly calls: readonly CallVector[];
  readonly after: readonly string[];
}

export interface TaskVector extends CallSequence {
  readonly task: string;
  readonly goldAfter?: readonly string[];
  readonly rewards: Readonly<Record<string, RewardVector>>;
}

export interface CallVector {
  readonly name: string;
  readonly arguments: DomainInput;
  readonly requestor?: "assistant" | "user";
  readonly result: {
    readonly content: string | { readonly sha256: string };
    readonly error?: boolean;
    readonly loose?: boolean;
  };
  readonly hash?: readonly string[];
  /** JSON pointers of arguments that are floats in Python although their values are integers. */
  readonly floats?: readonly string[];
}

export interface RewardVector {
  readonly env: number;
  readonly db_match: boolean;
  readonly assertions: readonly boolean[];
  readonly action: number;
  readonly matches: readonly boolean[];
  readonly communicate: number;
  /** Left out where only a judge can tell. */
  readonly all?: number;
}

export function readVectors(): Vectors {
  if (!hasVectors) return { tasks: { retail: [], airline: [], telecom: [] }, sequences: [] };
  return JSON.parse(readFileSync(file, "utf8")) as Vectors;
}

/** Which parts of the reward the vectors' `env` stands for. */
export const environmentParts: readonly RewardBasis[] = ["DB", "ENV_ASSERTION"];
