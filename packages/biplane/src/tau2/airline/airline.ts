import type { DataFolder } from "../data-folder.ts";
import type { Domain } from "../domain.ts";
import { onTables, readTables, readTasks } from "../read-domain.ts";
import type { Changes } from "../episode-tables.ts";
import { airlineTypes } from "./airline-models.ts";
import { airlineTools } from "./airline-tools.ts";

/** An airline: flights are booked, changed and cancelled. */
export function airlineDomain(folder: DataFolder): Domain<Changes> {
  const pristine = readTables(folder, airlineTypes);
  return {
    name: "airline",
    policy: folder.text("policy.md"),
    ...readTasks(folder),
    tools: { assistant: onTables(airlineTools, pristine), user: {} },
    functions: { assistant: {}, user: {} },
    userGuidelines: folder.shared("simulation_guidelines.md"),
    create: () => ({}),
    synchronize: () => undefined,
    hashes: (changes) => [pristine.hash(changes)],
  };
}
