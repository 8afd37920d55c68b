import { defineCommand } from "citty";
import { openPeople } from "../governance/people/people.ts";
import type { People } from "../governance/people/people.ts";
import { loadConfig } from "../config/load-config.ts";
import { scopes } from "../admin/openapi/scopes.ts";
import { BiplaneError } from "@biplane/core";
import { storeArgs } from "./store-args.ts";
import { askPassphrase } from "./terminal/ask-passphrase.ts";

const name = { type: "positional", description: "The account's name", required: true } as const;

const add = defineCommand({
  meta: { name: "add", description: "Add an account; prompts for the passphrase or reads it from standard input" },
  args: {
    name,
    scope: {
      type: "string",
      description: `Comma-separated scopes: ${Object.keys(scopes).join(", ")}; * grants all`,
      default: "*",
    },
    ...storeArgs,
  },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      const given = args.scope.split(",").map((scope) => scope.trim());
      const person = await people.add({ name: args.name, passphrase: await askPassphrase(args.name), scopes: given });
      process.stdout.write(`Added ${person.name}.\n`);
    }),
});

const list = defineCommand({
  meta: { name: "list", description: "List accounts" },
  args: storeArgs,
  run: ({ args }) =>
    withPeople(args, async (people) => {
      let after = "";
      for (;;) {
        const page = await people.list({ after });
        for (const person of page)
          process.stdout.write(`${person.name}\t${person.scopes.join(",")}\tsince ${person.createdAt.slice(0, 10)}\n`);
        const last = page.at(-1);
        if (!last) return;
        after = last.name;
      }
    }),
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove an account; ends its sessions and revokes its tokens" },
  args: { name, ...storeArgs },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      if (!(await people.remove(args.name)))
        throw new BiplaneError(
          "INVALID_INPUT",
          `There is no account ${JSON.stringify(args.name)}. See biplane people list.`,
        );
      process.stdout.write(`Removed ${args.name}.\n`);
    }),
});

const passwd = defineCommand({
  meta: { name: "passwd", description: "Set a passphrase; ends the account's sessions" },
  args: { name, ...storeArgs },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      await people.setPassphrase({ name: args.name, passphrase: await askPassphrase(args.name) });
      process.stdout.write(`Changed the passphrase of ${args.name} and ended all sessions.\n`);
    }),
});

const token = defineCommand({
  meta: { name: "token", description: "Create a personal API token; prints it once" },
  args: {
    name,
    label: { type: "string", description: "A note on what the token is for", default: "" },
    days: { type: "string", description: "Days until it expires", default: "90" },
    ...storeArgs,
  },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      const made = await people.newToken(args.name, { label: args.label, days: Number(args.days) });
      process.stdout.write(`${made.token}\n`);
      process.stderr.write(
        `The token acts as ${args.name} and expires on ${made.expiresAt.slice(0, 10)}. It is not shown again.\n`,
      );
    }),
});

/** `biplane people`: needs no sign-in, because it needs write access to the store's file. */
export const peopleCommand = defineCommand({
  meta: { name: "people", description: "Manage the accounts that sign in to the admin page" },
  subCommands: { add, list, remove, passwd, token },
});

async function withPeople(
  args: { readonly store?: string | undefined; readonly config?: string | undefined },
  work: (people: People) => Promise<void>,
): Promise<void> {
  const { config } = await loadConfig({ file: args.config, flags: { store: args.store }, only: ["store"] });
  if (config.store === undefined) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      "Accounts are kept in a store. Pass --store <file>, or add store to biplane.yaml.",
    );
  }
  const { openStore } = await import("../store/sql-store.ts");
  const { openAudit } = await import("../governance/audit/audit.ts");
  await using store = await openStore(config.store);
  await using audit = openAudit({ store, onFault: (fault) => process.stderr.write(`biplane: ${String(fault)}\n`) });
  await work(openPeople({ store, audit }));
}
