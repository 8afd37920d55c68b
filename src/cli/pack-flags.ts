/**
 * The packs that a command line asks for, with their options: `--pack workspace`, `--pack workspace=./notes`, several
 * with commas or one after the other. What follows the sign is the folder the pack works in.
 */
export function packFlags(words: readonly string[]): Record<string, Record<string, unknown>> | undefined {
  const given = words.flatMap((word, at) => {
    if (word.startsWith("--pack=")) return word.slice("--pack=".length).split(",");
    return word === "--pack" ? (words[at + 1]?.split(",") ?? []) : [];
  });
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((each) => optionsOf(each.trim())));
}

function optionsOf(text: string): [string, Record<string, unknown>] {
  const [, name = text, , folder] = /^([^=]*)(=(.*))?$/s.exec(text) ?? [];
  const where = folder ?? usualFolders[name];
  if (where === undefined) return [name, {}];
  return [name, name === "filesystem" ? { roots: [where] } : { root: where }];
}

/** Where packs work that must work somewhere, if nobody says where. */
const usualFolders: Readonly<Record<string, string>> = {
  workspace: "./workspace",
  memory: "./memory",
  vault: "./vault",
  filesystem: ".",
  git: ".",
  script: "./scripts",
};
