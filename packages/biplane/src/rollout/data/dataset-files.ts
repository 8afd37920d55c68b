import { readFile, readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { BiplaneError } from "@biplane/core";
import { isRecord, tryParseJson } from "@biplane/core/internal";

/** How a file of rows is read. */
export type RowFormat = "jsonl" | "csv" | "tsv" | "parquet" | "arrow";

export interface RowFile {
  readonly file: string;
  readonly format: RowFormat;
}

/**
 * The files that hold the rows at a path: the file itself, or those of a folder. A folder is what `save_to_disk` of
 * Hugging Face `datasets` writes, or a dataset repository with files named by split.
 */
export async function datasetFiles(path: string, split?: string): Promise<RowFile[]> {
  const facts = await stat(path);
  if (!facts.isDirectory()) return [{ file: path, format: formatOf(path) ?? "jsonl" }];
  const dictionary = await readJson(join(path, "dataset_dict.json"));
  if (dictionary) {
    const splits = namesIn(dictionary["splits"]);
    return savedFiles(join(path, chooseSplit(path, splits, split)));
  }
  if (await readJson(join(path, "state.json"))) return savedFiles(path);
  return repositoryFiles(path, split);
}

const extensions: Readonly<Record<string, RowFormat>> = {
  jsonl: "jsonl",
  ndjson: "jsonl",
  json: "jsonl",
  csv: "csv",
  tsv: "tsv",
  parquet: "parquet",
  arrow: "arrow",
};

function formatOf(file: string): RowFormat | undefined {
  const name = basename(file).toLowerCase().replace(/\.gz$/, "");
  return extensions[name.slice(name.lastIndexOf(".") + 1)];
}

/** The files of a folder that `Dataset.save_to_disk` wrote. */
async function savedFiles(folder: string): Promise<RowFile[]> {
  const state = await readJson(join(folder, "state.json"));
  const listed: unknown[] = Array.isArray(state?.["_data_files"]) ? state["_data_files"] : [];
  return namesIn(listed.map((each) => (isRecord(each) ? each["filename"] : each))).map((name) => ({
    file: join(folder, name),
    format: "arrow",
  }));
}

/** Names of files and folders. Others could lead out of the folder. */
function namesIn(list: unknown): string[] {
  const names: unknown[] = Array.isArray(list) ? list : [];
  return names.map((name) => {
    if (typeof name === "string" && name !== ".." && basename(name) === name) return name;
    throw new BiplaneError("INVALID_INPUT", `The dataset names a file ${JSON.stringify(name)}, which is not in it.`);
  });
}

/** The data files of a repository, whose names or folders tell their split, as in `data/train-00000-of-00002.parquet`. */
async function repositoryFiles(folder: string, split: string | undefined): Promise<RowFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && !entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(folder, file).startsWith(`.`) && formatOf(file) !== undefined)
    .sort();
  if (files.length === 0)
    throw new BiplaneError("INVALID_INPUT", `${folder} has no JSONL, CSV, Parquet or Arrow file.`);
  const splits = files.map((file) => splitOf(relative(folder, file)));
  const chosen = chooseSplit(folder, [...new Set(splits)], split);
  return files.filter((_, at) => splits[at] === chosen).map((file) => ({ file, format: formatOf(file) ?? "jsonl" }));
}

function splitOf(path: string): string {
  const parts = path.toLowerCase().split(new RegExp(`[${sep === "\\" ? "\\\\" : sep}._-]`));
  const found = parts.find((part) => Object.hasOwn(splitWords, part));
  return found === undefined ? "train" : (splitWords[found] as string);
}

/** The words that Hugging Face takes for a split. A file without one belongs to `train`. */
const splitWords: Readonly<Record<string, string>> = {
  train: "train",
  training: "train",
  validation: "validation",
  valid: "validation",
  dev: "validation",
  val: "validation",
  test: "test",
  testing: "test",
  eval: "test",
  evaluation: "test",
};

function chooseSplit(path: string, splits: readonly string[], split: string | undefined): string {
  const [only] = splits;
  if (split === undefined && only !== undefined && splits.length === 1) return only;
  if (split !== undefined && splits.includes(split)) return split;
  const known = `The splits of ${path} are ${splits.join(", ")}.`;
  throw new BiplaneError(
    "INVALID_INPUT",
    split === undefined ? `${known} Choose one with --split.` : `Unknown split ${JSON.stringify(split)}. ${known}`,
  );
}

async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const value = text === undefined ? undefined : tryParseJson(text);
  return isRecord(value) ? value : undefined;
}
