/** Flags under their earlier names, which still work but are not shown in help. */
const renamedFlags: Readonly<Record<string, string>> = {
  "--open-trainer-doors": "--open-trainer-endpoints",
  "--words": "--names",
};

/** Replaces earlier flag names by the current ones. What follows `--` belongs to another program and stays. */
export function withCurrentFlags(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.map((arg, at) => {
    const [flag = "", ...value] = arg.split("=");
    const current = at < end && Object.hasOwn(renamedFlags, flag) ? renamedFlags[flag] : undefined;
    return current === undefined ? arg : [current, ...value].join("=");
  });
}
