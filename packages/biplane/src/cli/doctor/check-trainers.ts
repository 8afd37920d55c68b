import { execFile } from "node:child_process";
import { tryParseJson } from "@biplane/core/internal";
import type { Finding } from "./finding.ts";
import { note, ok } from "./finding.ts";

/** Checks for Python and the packages that train on an environment. */
export async function checkTrainers({ python = "python3", timeoutMs = 5000 } = {}): Promise<Finding[]> {
  const info = await readPythonInfo(python, timeoutMs);
  if (info === undefined)
    return [note("python", `${python} did not run; only trainers need it`, "install Python 3.10 or newer")];
  const { version, packages } = info;
  return [
    ok("python", version),
    ...trainers.map(({ name, module, what }) =>
      packages[module] === undefined
        ? note(name, `not installed; needed for ${what}`, `pip install ${name}`)
        : ok(name, `${packages[module]}, for ${what}`),
    ),
  ];
}

const trainers = [
  { name: "openenv", module: "openenv", what: "training with OpenEnv clients" },
  { name: "eval-protocol", module: "eval_protocol", what: "evaluating with Eval Protocol" },
  { name: "trl", module: "trl", what: "training with TRL" },
] as const;

interface PythonInfo {
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** Finds the packages without importing them, which can take half a minute. */
const program = `
import importlib.util, importlib.metadata, json, platform
def version(module):
    for name in (module, module.replace("_", "-"), module + "-core"):
        try: return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError: pass
    return "installed"
names = ${JSON.stringify(trainers.map(({ module }) => module))}
print(json.dumps({"version": platform.python_version(), "packages": {n: version(n) for n in names if importlib.util.find_spec(n)}}))
`;

function readPythonInfo(python: string, timeoutMs: number): Promise<PythonInfo | undefined> {
  return new Promise((resolve) => {
    const child = execFile(python, ["-c", program], { timeout: timeoutMs, killSignal: "SIGKILL" }, (error, stdout) => {
      // This Python may print something else, such as a banner.
      resolve(error ? undefined : (tryParseJson(stdout) as PythonInfo | undefined));
    });
    child.stdin?.end();
  });
}
