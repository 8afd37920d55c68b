import { execFile } from "node:child_process";
import type { Finding } from "./finding.ts";
import { note, ok } from "./finding.ts";

/** The Python packages that can train on an environment, in the Python that is found first. */
export async function checkTrainers({ python = "python3", timeoutMs = 5000 } = {}): Promise<Finding[]> {
  const answer = await ask(python, timeoutMs);
  if (answer === undefined)
    return [note("python", `${python} does not answer; only trainers need it`, "install Python 3.10 or newer")];
  const { version, packages } = answer;
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
  { name: "openenv", module: "openenv", what: "training with OpenEnv's clients" },
  { name: "eval-protocol", module: "eval_protocol", what: "evaluating with Eval Protocol" },
  { name: "trl", module: "trl", what: "training with TRL" },
] as const;

interface Answer {
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** Looks without importing: some of them take half a minute to load. */
const question = `
import importlib.util, importlib.metadata, json, platform
def version(module):
    for name in (module, module.replace("_", "-"), module + "-core"):
        try: return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError: pass
    return "there"
names = ${JSON.stringify(trainers.map(({ module }) => module))}
print(json.dumps({"version": platform.python_version(), "packages": {n: version(n) for n in names if importlib.util.find_spec(n)}}))
`;

function ask(python: string, timeoutMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const child = execFile(python, ["-c", question], { timeout: timeoutMs, killSignal: "SIGKILL" }, (error, stdout) => {
      resolve(error ? undefined : readAnswer(stdout));
    });
    child.stdin?.end();
  });
}

function readAnswer(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined; // a python that prints something of its own
  }
}
