import { defineCommand } from "citty";
import { openPeople } from "../admin/people/people.ts";
import type { People } from "../admin/people/people.ts";
import { loadConfig } from "../config/load-config.ts";
import { scopes } from "../desk/openapi/scopes.ts";
import { BiplaneError } from "../errors.ts";
import { askPassphrase } from "./ask-passphrase.ts";

const where = {
  store: { type: "string", description: "The SQLite file; left out, the store of biplane.yaml or BIPLANE_STORE" },
  config: { type: "string", description: "The config file; left out, biplane.yaml or BIPLANE_CONFIG" },
} as const;
const name = { type: "positional", description: "The person's name", required: true } as const;

const add = defineCommand({
  meta: { name: "add", description: "Let somebody log in; the passphrase is asked for, or read from the input" },
  args: {
    name,
    scope: {
      type: "string",
      description: `What he may, with commas between: ${Object.keys(scopes).join(", ")}; * is all`,
      default: "*",
    },
    ...where,
  },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      const given = args.scope.split(",").map((scope) => scope.trim());
      const person = await people.add({ name: args.name, passphrase: await askPassphrase(args.name), scopes: given });
      process.stdout.write(`${person.name} can log in now.\n`);
    }),
});

const list = defineCommand({
  meta: { name: "list", description: "Say who can log in" },
  args: where,
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
  meta: { name: "remove", description: "Shut somebody out: his sessions and tokens end at once" },
  args: { name, ...where },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      if (!(await people.remove(args.name)))
        throw new BiplaneError("INVALID_INPUT", `there is nobody called ${args.name}`);
      process.stdout.write(`${args.name} cannot log in any more.\n`);
    }),
});

const passwd = defineCommand({
  meta: { name: "passwd", description: "Set somebody's passphrase; his sessions end at once" },
  args: { name, ...where },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      await people.setPassphrase({ name: args.name, passphrase: await askPassphrase(args.name) });
      process.stdout.write(`${args.name} has a new passphrase, and is logged out everywhere.\n`);
    }),
});

const token = defineCommand({
  meta: { name: "token", description: "Make a token for a program that acts for somebody; it is shown once" },
  args: {
    name,
    label: { type: "string", description: "What it is for", default: "" },
    days: { type: "string", description: "How long it is good", default: "90" },
    ...where,
  },
  run: ({ args }) =>
    withPeople(args, async (people) => {
      const made = await people.newToken(args.name, { label: args.label, days: Number(args.days) });
      process.stdout.write(`${made.token}\n`);
      process.stderr.write(`It acts for ${args.name} until ${made.expiresAt.slice(0, 10)}, and is not shown again.\n`);
    }),
});

/** `biplane people`: who may log in. Whoever can write the store's file can do this. */
export const peopleCommand = defineCommand({
  meta: { name: "people", description: "Say who may log in to approve calls, set secrets and read the audit log" },
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
      "people are kept in a store: name its file with --store, or with store in biplane.yaml",
    );
  }
  const { sqliteStore } = await import("../store/sqlite.ts");
  const { openAudit } = await import("../admin/audit/audit.ts");
  await using store = sqliteStore(config.store);
  await using audit = openAudit({ store, onFault: (fault) => process.stderr.write(`biplane: ${String(fault)}\n`) });
  await work(openPeople({ store, audit }));
}
