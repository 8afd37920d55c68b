import { text as readAll } from "node:stream/consumers";
import { defineCommand } from "citty";
import { openAudit } from "../admin/audit/audit.ts";
import { personEntry } from "../admin/audit/person-entry.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import { askHidden } from "./ask-passphrase.ts";
import { houseArgs, houseOptions } from "./house-args.ts";
import { personHere } from "./person.ts";
import { openKeptState } from "./state.ts";
import type { State } from "./state.ts";

const name = { type: "positional", description: "Such as GITHUB_TOKEN", required: true } as const;

const set = defineCommand({
  meta: { name: "set", description: "Keep a secret; its value is asked for, or read from standard input" },
  args: { name, ...houseArgs },
  run: async ({ args }) => {
    await using state = await openKeptState(houseOptions(args));
    const typed = process.stdin.isTTY ? await askHidden(`${args.name}: `) : await readAll(process.stdin);
    const value = typed.replace(/\r?\n$/, "");
    await state.secrets.set(args.name, value);
    await recorded(state, "secrets/set", args.name);
    process.stdout.write(`${args.name} is kept. Servers that run on this store know it within seconds.\n`);
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Forget a secret" },
  args: { name, ...houseArgs },
  run: async ({ args }) => {
    await using state = await openKeptState(houseOptions(args));
    if (!(await state.secrets.delete(args.name)))
      throw new BiplaneError("INVALID_INPUT", `there is no secret ${args.name} in the store`);
    await recorded(state, "secrets/delete", args.name);
    process.stdout.write(`${args.name} is forgotten.\n`);
  },
});

const list = defineCommand({
  meta: { name: "list", description: "The names of the secrets; their values never leave" },
  args: { ...houseArgs },
  run: async ({ args }) => {
    await using state = await openKeptState(houseOptions(args));
    const names = state.secrets.names();
    if (names.length === 0) process.stdout.write("There are no secrets. Set one: biplane secrets set NAME\n");
    for (const { name: each, source, updatedAt } of names)
      process.stdout.write(`${each.padEnd(32)} ${source.padEnd(12)} ${updatedAt ?? ""}`.trimEnd().concat("\n"));
  },
});

/** `biplane secrets set GITHUB_TOKEN`. */
export const secretsCommand = defineCommand({
  meta: { name: "secrets", description: "Keep secrets, encrypted: set, list, remove" },
  subCommands: { set, list, remove },
});

async function recorded({ store }: State, what: string, secret: string): Promise<void> {
  const onFault = (fault: unknown) => process.stderr.write(`biplane: the audit log failed: ${messageOf(fault)}\n`);
  await using audit = openAudit({ store, strict: true, onFault });
  await audit.record(personEntry(what, { name: secret }, personHere()));
}
