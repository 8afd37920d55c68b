/** Something that can happen next in a schedule. */
export interface Happening {
  readonly name: string;
  readonly happen: () => void;
}

/** One run of a scenario. `next` lists what can happen now; it is empty when the run is over. */
export interface Scenario {
  readonly next: () => readonly Happening[];
  /** Throws if a promise was broken. Called at the end of each schedule. */
  readonly check: () => void;
}

/**
 * Runs a scenario in every possible order of what can happen, from the start each time, and returns the number of
 * orders. A failed check names the order.
 */
export async function explore(begin: () => Scenario | Promise<Scenario>): Promise<number> {
  let choices: number[] = [];
  for (let schedules = 1; ; schedules++) {
    const widths: number[] = [];
    const names: string[] = [];
    const scenario = await begin();
    await settle();
    for (let at = 0; ; at++) {
      const happenings = scenario.next();
      if (happenings.length === 0) break;
      const choice = choices[at] ?? 0;
      widths.push(happenings.length);
      const chosen = happenings[choice] as Happening;
      names.push(chosen.name);
      chosen.happen();
      await settle();
    }
    try {
      scenario.check();
    } catch (error) {
      throw new Error(`Schedule ${schedules}: ${names.join(" → ")}\n${String(error)}`, { cause: error });
    }
    let last = widths.length - 1;
    while (last >= 0 && (choices[last] ?? 0) + 1 >= (widths[last] as number)) last--;
    if (last < 0) return schedules;
    choices = [...widths.slice(0, last).map((_, at) => choices[at] ?? 0), (choices[last] ?? 0) + 1];
  }
}

/** Lets everything run that waits for nothing but promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
