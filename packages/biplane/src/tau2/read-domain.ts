import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import type { DataFolder } from "./data-folder.ts";
import type { Domain, DomainInput, DomainTools, Tau2Task } from "./domain.ts";
import type { Type } from "./model.ts";
import { PristineTables, EpisodeTables } from "./episode-tables.ts";
import type { Changes, Entry } from "./episode-tables.ts";

/** Reads the tables of `db.json`. */
function readTables(folder: DataFolder, types: Readonly<Record<string, Type>>): PristineTables {
  const database = folder.json("db.json");
  if (!isRecord(database)) throw new BiplaneError("INVALID_INPUT", "db.json of the tau2 data must be an object.");
  const tables = Object.entries(types).map(([name, type]) => {
    const raw = database[name];
    const rows = raw instanceof Map ? [...(raw as Map<string, unknown>)] : Object.entries(raw ?? {});
    return [name, new Map(rows.map(([id, row]) => [id, type.load(row, `${name}.${id}`) as Entry]))] as const;
  });
  return new PristineTables(types, new Map(tables));
}

/** Reads the tasks and their splits. Without a file of splits, all tasks are the split `base`. */
export function readTasks(folder: DataFolder): Pick<Domain, "tasks" | "splits"> {
  const tasks = folder.json("tasks.json") as readonly Tau2Task[];
  if (!Array.isArray(tasks)) throw new BiplaneError("INVALID_INPUT", "tasks.json of the tau2 data must be a list.");
  const all = { base: tasks.map(({ id }) => id) };
  const splits = folder.has("split_tasks.json") ? folder.json("split_tasks.json") : all;
  return { tasks, splits: isRecord(splits) ? (splits as Domain["splits"]) : all };
}

export interface TableDomain<Types extends Readonly<Record<string, Type>>> {
  readonly name: Domain["name"];
  readonly types: Types;
  readonly tools: DomainTools<EpisodeTables<Types>>;
}

/** A domain whose state is what an episode changed in the tables of `db.json`. Only the agent has tools. */
export function tableDomain<Types extends Readonly<Record<string, Type>>>(
  folder: DataFolder,
  { name, types, tools }: TableDomain<Types>,
): Domain<Changes> {
  const pristine = readTables(folder, types);
  const assistant = Object.entries(tools).map(([toolName, tool]) => {
    const run = (changes: Changes, input: DomainInput) => tool.run(new EpisodeTables<Types>(pristine, changes), input);
    return [toolName, { ...tool, run }] as const;
  });
  return {
    name,
    policy: folder.text("policy.md"),
    ...readTasks(folder),
    tools: { assistant: Object.fromEntries(assistant), user: {} },
    functions: { assistant: {}, user: {} },
    userGuidelines: folder.shared("simulation_guidelines.md"),
    create: () => ({}),
    synchronize: () => undefined,
    hashes: (changes) => [pristine.hash(changes)],
  };
}
