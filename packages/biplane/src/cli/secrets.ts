import { argument, command } from "./command/define.ts";
import { text as readAll } from "node:stream/consumers";
import { personEntry } from "../governance/audit/person-entry.ts";
import { weakSecret } from "../governance/secrets/weak-secret.ts";
import { inputError } from "./command/exit-code.ts";
import { askHidden } from "./terminal/ask-passphrase.ts";
import { localPerson, openCommandAudit, storeArgs, storeOptions } from "./store-args.ts";
import { openPersistentState } from "../host/state.ts";
import type { HostState } from "../host/state.ts";

const name = argument("The secret's name, such as GITHUB_TOKEN");

const set = command("Store a secret; prompts for the value or reads it from standard input", {
  args: { name, ...storeArgs },
  run: async ({ args }) => {
    await using state = await openPersistentState(storeOptions(args));
    const typed = process.stdin.isTTY ? await askHidden(`${args.name}: `) : await readAll(process.stdin);
    const value = typed.replace(/\r?\n$/, "");
    await state.secrets.set(args.name, value);
    await recordChange(state, "set", args.name);
    process.stdout.write(`Stored ${args.name}. Servers on this store use it within seconds.\n`);
    const weakness = weakSecret(value);
    if (weakness !== undefined) process.stderr.write(`warning: The secret ${args.name} ${weakness}.\n`);
  },
});

const remove = command("Delete a secret", {
  args: { name, ...storeArgs },
  run: async ({ args }) => {
    await using state = await openPersistentState(storeOptions(args));
    if (!(await state.secrets.delete(args.name)))
      throw inputError(`The store has no secret ${args.name}. See biplane secrets list.`);
    await recordChange(state, "delete", args.name);
    process.stdout.write(`Deleted ${args.name}.\n`);
  },
});

const list = command("List the names of secrets; values cannot be read back", {
  args: storeArgs,
  run: async ({ args }) => {
    await using state = await openPersistentState(storeOptions(args));
    const names = state.secrets.names();
    if (names.length === 0) process.stdout.write("No secrets. Set one: biplane secrets set NAME\n");
    for (const { name: each, source, updatedAt } of names)
      process.stdout.write(`${each.padEnd(32)} ${source.padEnd(12)} ${updatedAt ?? ""}`.trimEnd().concat("\n"));
  },
});

/** `biplane secrets set GITHUB_TOKEN` */
export const secretsCommand = command("Store encrypted secrets for tools and scripts", {
  subCommands: { set, list, remove },
});

async function recordChange({ store }: HostState, action: "set" | "delete", secret: string): Promise<void> {
  await using audit = openCommandAudit(store);
  await audit.record(personEntry(`secrets/${action}`, { input: { name: secret }, by: localPerson() }));
}
