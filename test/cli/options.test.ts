import { expect, test } from "vitest";
import fc from "fast-check";
import { checkArgs } from "../../packages/biplane/src/cli/command/check-args.ts";
import { examples } from "../../packages/biplane/src/cli/command/examples.ts";
import { allCommands, resolveCommand } from "../../packages/biplane/src/cli/command/resolve-command.ts";
import type { ResolvedCommand } from "../../packages/biplane/src/cli/command/resolve-command.ts";
import { usageOf } from "../../packages/biplane/src/cli/command/usage.ts";
import { valueOf } from "../../packages/biplane/src/cli/command/define.ts";
import { widthOf } from "../../packages/biplane/src/cli/terminal/width.ts";

const all = await allCommands();
const leaves = all.filter(({ subCommands: below }) => Object.keys(below).length === 0);
const nameOf = ({ path }: ResolvedCommand) => path.join(" ");
const refusal = async (...words: string[]): Promise<string> => {
  try {
    checkArgs(await resolveCommand(words));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("there are as many commands as the program has", () => {
  expect(leaves.length).toBeGreaterThan(35);
  expect(leaves.map(nameOf)).toEqual(expect.arrayContaining(["serve", "approvals list", "doctor", "rollout"]));
});

test.each(leaves.map((found) => [nameOf(found), found] as const))(
  "biplane %s refuses an option it does not have, and names the one that was meant",
  async (_, { path, options }) => {
    expect(await refusal(...path, "--zzqqxx")).toMatch(/^Unknown option --zzqqxx\. See biplane .* --help\.$/);
    for (const [name, { type }] of Object.entries(options)) {
      if (type === "positional" || name.length < 4) continue;
      const misspelled = name.slice(0, -2) + name.at(-1) + name.at(-2);
      // Where there is one without the last letter as well, either may be meant.
      if (misspelled === name || Object.hasOwn(options, misspelled) || Object.hasOwn(options, name.slice(0, -1)))
        continue;
      expect(await refusal(...path, `--${misspelled}`)).toBe(`Unknown option --${misspelled}. Did you mean --${name}?`);
    }
  },
);

test.each(leaves.map((found) => [nameOf(found), found] as const))(
  "biplane %s refuses values that are missing, numbers that are none, and --no- where there is a value",
  async (_, { path, options }) => {
    for (const [name, option] of Object.entries(options)) {
      const { type } = option;
      if (type === "positional") continue;
      const no = await refusal(...path, `--no-${name}`);
      if (type === "boolean") {
        expect(no).not.toMatch(/Unknown|takes a value/);
        expect(await refusal(...path, `--${name}=perhaps`)).toMatch(/takes no value, but got "perhaps"/);
        continue;
      }
      expect(no).toMatch(`--${name} takes a value`);
      expect(await refusal(...path, `--${name}`)).toMatch(`--${name} needs a value`);
      expect(await refusal(...path, `--${name}`, "--help-me")).toMatch(`write --${name}=--help-me`);
      const value = valueOf(option);
      if (value.kind === "number") {
        for (const text of ["many", "", "1.5.2", "0x", "NaN", "Infinity"])
          expect(await refusal(...path, `--${name}=${text}`)).toMatch(/must be a (whole )?number/);
        expect(await refusal(...path, `--${name}=7`)).not.toMatch(/number/);
      }
      if (value.kind === "choice" && !value.isOpen)
        expect(await refusal(...path, `--${name}`, "zzqqxx")).toMatch(/must be one of .*, not "zzqqxx"\./);
    }
  },
);

test("numbers that options say they take are known to be numbers", () => {
  const missed = leaves.flatMap(({ path, options }) =>
    Object.entries(options).flatMap(([name, option]) =>
      option.type === "string" &&
      /^(how (many|often|long)|maximum|number of|days)\b|seconds/i.test(option.description ?? "") &&
      valueOf(option).kind !== "number"
        ? [`${path.join(" ")} --${name}`]
        : [],
    ),
  );
  expect(missed).toEqual([]);
});

test("what follows -- is not looked at, and repeated and joined options stay", async () => {
  expect(await refusal("tools", "--", "npx", "server", "--prot", "9")).toBe("");
  expect(await refusal("call", "--timeout", "3", "add", "--", "server", "-x")).toBe("");
  expect(await refusal("serve", "--pack", "workspace=./notes", "--pack", "memory,vault")).toBe("");
  expect(await refusal("policy", "test", "--tool=x", "--argument", "a=1", "--argument=b=2")).toBe("");
  expect(await refusal("rollout", "--env", "taxi", "-n20", "--threshold", "-1")).toBe("");
  expect(await refusal("serve", "--logLevel", "debug", "--no-stdio")).toBe("");
});

test("missing and extra arguments are errors", async () => {
  expect(await refusal("serve", "a.ts", "b.ts")).toBe(
    'Unexpected argument "b.ts". Usage: biplane serve [file] [options]',
  );
  expect(await refusal("compare", "a", "b", "c")).toBe(
    'Unexpected argument "c". Usage: biplane compare <first> <second> [options]',
  );
  expect(await refusal("show")).toBe("Missing argument <run>. Usage: biplane show <run> [options]");
  expect(await refusal("approvals", "approve", "a", "b", "c")).toBe("");
  expect(await refusal("approvals", "reject", "a")).toMatch(/--reason needs a value/);
});

test.each([
  [["serv"], 'Unknown command "serv". Did you mean biplane serve?'],
  [["approvals", "aprove"], 'Unknown command "aprove". Did you mean biplane approvals approve?'],
  [["zzqqxx"], 'Unknown command "zzqqxx". Run biplane help for a list.'],
  [["constructor"], 'Unknown command "constructor". Run biplane help for a list.'],
  [["serve", "--port", "9000"], "Unknown option --port. Set the port with --url, such as --url http://127.0.0.1:9000."],
  [["scripts", "run", "sums", "add", "-5"], "Unknown option -5. Put -- before an argument that starts with a dash."],
])("%j is answered with %s", async (words, message) => {
  expect(await refusal(...words)).toBe(message);
});

test("any wrong arguments end in an error message", async () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("serve", "call", "--", "-n", "--env", "--no-", "--=", "-", "--no-env=1", "policy", "test"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
      const message = await refusal(...words);
      expect(message).not.toMatch(/undefined|\[object|is not a function|Cannot read/);
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 20_000 : 300 },
  );
});

test.each(all.map((found) => [nameOf(found), found] as const))(
  "help of biplane %s fits in 80 columns and has examples",
  async (name, found) => {
    const text = await usageOf(found, { columns: 80, style: (plain) => plain });
    const [help = "", shown = ""] = text.split("Examples\n");
    expect(help.split("\n").filter((line) => widthOf(line) > 80)).toEqual([]);
    expect(shown).toContain(`  biplane ${name}`.trimEnd());
    for (const option of Object.keys(found.options)) expect(help).toContain(option);
  },
);

test.each(Object.entries(examples).flatMap(([name, lines]) => lines.map((line) => [line, name] as const)))(
  "the example %s is one that works",
  async (line, name) => {
    const words = (
      line
        .replace(/\s+#.*$/, "")
        .replace(/ [<>] .*$/, "")
        .replace(/^(?:source <|\w+=\$)\((.*)\)$/, "$1")
        .match(/'[^']*'|\S+/g) ?? []
    ).map((word) => word.replace(/^'(.*)'$/s, "$1"));
    expect(words.shift()).toBe("biplane");
    const found = await resolveCommand(words);
    if (name !== "") expect(found.path.join(" ")).toMatch(new RegExp(`^${name}`));
    expect(await refusal(...words)).toBe("");
  },
);
