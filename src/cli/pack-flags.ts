/** A pack that a command line asks for, and where it is to work, if it says so. */
export interface PackFlag {
  readonly name: string;
  readonly folder: string | undefined;
}

/** `--pack workspace`, `--pack workspace=./notes`, several with commas or one after the other. */
export function packFlags(words: readonly string[]): PackFlag[] {
  const given = words.flatMap((word, at) => {
    if (word.startsWith("--pack=")) return word.slice("--pack=".length).split(",");
    return word === "--pack" ? (words[at + 1]?.split(",") ?? []) : [];
  });
  return given.map((each) => {
    const [name = "", ...folder] = each.trim().split("=");
    return { name, folder: folder.length > 0 ? folder.join("=") : undefined };
  });
}

type Packs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The packs of a config file, and those asked for: a folder that is named goes before the file's, nothing else does. */
export function withPacks(packs: Packs, flags: readonly PackFlag[]): Packs {
  const asked = flags.map(({ name, folder }) => {
    const written = packs[name];
    const where = folder ?? (written ? undefined : usualFolders[name]);
    const place = where === undefined ? {} : name === "filesystem" ? { roots: [where] } : { root: where };
    return [name, { ...written, ...place }] as const;
  });
  return { ...packs, ...Object.fromEntries(asked) };
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
