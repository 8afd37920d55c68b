import { text as readAll } from "node:stream/consumers";
import { defineCommand } from "citty";
import { openAudit } from "../governance/audit/audit.ts";
import { personEntry } from "../governance/audit/person-entry.ts";
import { weakSecret } from "../governance/secrets/weak-secret.ts";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { askHidden } from "./terminal/ask-passphrase.ts";
import { storeArgs, storeOptions } from "./store-args.ts";
import { localPerson } from "./local-person.ts";
import { openPersistentState } from "../host/state.ts";
import type { HostState } from "../host/state.ts";

const name = { type: "positional", description: "The secret's name, such as GITHUB_TOKEN", required: true } as const;

const set = defineCommand({
  meta: { name: "set", description: "Store a secret; prompts for the value or reads it from standard input" },
  args: { name, ...storeArgs },
  run: async ({ args }) => {
    await using state = await openPersistentState(storeOptions(args));
    const typed = process.stdin.isTTY ? await askHidden(`${args.name}: `) : await readAll(process.stdin);
    const value = typed.replace(/\r?\n$/, "");
    await state.secrets.set(args.name, value);
    await recordChange(state, { action: "secrets/set", secret: args.name });
    process.stdout.write(`Stored ${args.name}. Servers on this store use it within seconds.\n`);
    const weakness = weakSecret(value);
    if (weakness !== undefined) process.stderr.write(`warning: The secret ${args.name} ${weakness}.\n`);
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Delete a secret" },
  args: { name, ...storeArgs },
  run: async ({ args }) => {
    await using state = await openPersistentState(storeOptions(args));
    if (!(await state.secrets.delete(args.name)))
      throw new BiplaneError("INVALID_INPUT", `The store has no secret ${args.name}. See biplane secrets list.`);
    await recordChange(state, { action: "secrets/delete", secret: args.name });
    process.stdout.write(`Deleted ${args.name}.\n`);
  },
});

const list = defineCommand({
  meta: { name: "list", description: "List the names of secrets; values cannot be read back" },
  args: { ...storeArgs },
  run: async ({ args }) => {
    await using state = await openPersistentState(storeOptions(args));
    const names = state.secrets.names();
    if (names.length === 0) process.stdout.write("No secrets. Set one: biplane secrets set NAME\n");
    for (const { name: each, source, updatedAt } of names)
      process.stdout.write(`${each.padEnd(32)} ${source.padEnd(12)} ${updatedAt ?? ""}`.trimEnd().concat("\n"));
  },
});

/** `biplane secrets set GITHUB_TOKEN` */
export const secretsCommand = defineCommand({
  meta: { name: "secrets", description: "Store encrypted secrets for tools and scripts" },
  subCommands: { set, list, remove },
});

async function recordChange(
  { store }: HostState,
  { action, secret }: { action: string; secret: string },
): Promise<void> {
  const onFault = (fault: unknown) =>
    process.stderr.write(`biplane: Writing the audit log failed: ${messageOf(fault)}\n`);
  await using audit = openAudit({ store, strict: true, onFault });
  await audit.record(personEntry(action, { name: secret }, localPerson()));
}
