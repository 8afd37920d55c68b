/** A pack from the command line, with its folder if given: `--pack workspace=./notes`. */
export interface PackFlag {
  readonly name: string;
  readonly folder: string | undefined;
}

/** Reads every `--pack`. citty keeps only the last one. */
export function packFlags(rawArgs: readonly string[]): PackFlag[] {
  const given = rawArgs.flatMap((arg, at) => {
    if (arg.startsWith("--pack=")) return arg.slice("--pack=".length).split(",");
    return arg === "--pack" ? (rawArgs[at + 1]?.split(",") ?? []) : [];
  });
  return given.map((each) => {
    const [name = "", ...folder] = each.trim().split("=");
    return { name, folder: folder.length > 0 ? folder.join("=") : undefined };
  });
}

type Packs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Adds packs from the command line to those of the config file. Only the folder overrides the file's options. */
export function withPacks(packs: Packs, flags: readonly PackFlag[]): Packs {
  const asked = flags.map(({ name, folder }) => {
    const written = packs[name];
    const root = folder ?? (written ? undefined : defaultFolders[name]);
    const rootOption = root === undefined ? {} : name === "filesystem" ? { roots: [root] } : { root };
    return [name, { ...written, ...rootOption }] as const;
  });
  return { ...packs, ...Object.fromEntries(asked) };
}

/** Folders for packs that need one. */
const defaultFolders: Readonly<Record<string, string>> = {
  workspace: "./workspace",
  memory: "./memory",
  vault: "./vault",
  filesystem: ".",
  git: ".",
  script: "./scripts",
};
