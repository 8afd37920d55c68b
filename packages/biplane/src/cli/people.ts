import { argument, command, number, oneOf, option, suggested } from "./command/define.ts";
import { openPeople } from "../governance/people/people.ts";
import type { People } from "../governance/people/people.ts";
import { roleFrom, roleNames } from "../governance/people/roles.ts";
import { scopes } from "../admin/openapi/scopes.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { openCommandAudit, storeArgs, storeLocation } from "./store-args.ts";
import type { StoreArgs } from "./store-args.ts";
import { openStore } from "../store/sql-store.ts";
import { askPassphrase } from "./terminal/ask-passphrase.ts";

const name = argument("The account's name");

const add = command("Add an account; prompts for the passphrase or reads it from standard input", {
  args: {
    name,
    scope: option(`Comma-separated scopes: ${Object.keys(scopes).join(", ")}; * grants all (default: *)`, {
      takes: { ...suggested("approvals", "secrets", "audit", "*"), isList: true },
    }),
    role: option("A role instead of scopes", { takes: oneOf(...roleNames) }),
    email: option("Accounts with the same e-mail address count as one person in approvals"),
    ...storeArgs,
  },
  run: async ({ args }) => {
    if (args.role !== undefined && args.scope !== undefined)
      throw usageError(`--role ${args.role} already sets the scopes. Pass either --role or --scope.`);
    await withPeople(args, async (people) => {
      const role = roleFrom(args.role ?? null);
      const given = (args.scope ?? "*").split(",").map((scope) => scope.trim());
      const access = role === null ? { scopes: given } : { role };
      const { name, email } = args;
      const person = await people.add({ name, email, passphrase: await askPassphrase(name), ...access });
      process.stdout.write(`Added ${person.name}.\n`);
    });
  },
});

const list = command("List accounts", {
  args: storeArgs,
  run: ({ args }) =>
    withPeople(args, async (people) => {
      let after = "";
      for (;;) {
        const page = await people.list({ after });
        for (const person of page)
          process.stdout.write(
            `${person.name}\t${person.role ?? person.scopes.join(",")}\tsince ${person.createdAt.slice(0, 10)}\n`,
          );
        const last = page.at(-1);
        if (!last) return;
        after = last.name;
      }
    }),
});

const remove = command("Remove an account; ends its sessions and revokes its tokens", {
  args: { name, ...storeArgs },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      if (!(await people.remove(args.name)))
        throw inputError(`There is no account ${JSON.stringify(args.name)}. See biplane people list.`);
      process.stdout.write(`Removed ${args.name}.\n`);
    }),
});

const passwd = command("Set a passphrase; ends the account's sessions", {
  args: { name, ...storeArgs },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      await people.setPassphrase({ name: args.name, passphrase: await askPassphrase(args.name) });
      process.stdout.write(`Changed the passphrase of ${args.name} and ended all sessions.\n`);
    }),
});

const token = command("Create a personal API token; prints it once", {
  args: {
    name,
    label: option("What the token is for", { default: "" }),
    days: option("Days until it expires", { takes: number, default: "90" }),
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
export const peopleCommand = command("Manage the accounts that sign in to the admin page", {
  subCommands: { add, list, remove, passwd, token },
});

async function withPeople(args: StoreArgs, work: (people: People) => Promise<void>): Promise<void> {
  await using store = await openStore(await storeLocation(args));
  await using audit = openCommandAudit(store);
  await work(openPeople({ store, audit }));
}
