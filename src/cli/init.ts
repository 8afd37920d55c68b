import { readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defineCommand } from "citty";
import { kinds, projectFiles } from "./init/project.ts";
import type { Files, Kind } from "./init/project.ts";
import { projectName } from "./init/project-name.ts";
import { writeProject } from "./init/write-project.ts";
import { BiplaneError } from "../errors.ts";
import { askLine } from "./terminal/ask-line.ts";
import { shellWord } from "./terminal/shell-word.ts";

/** `biplane init my-desk`: a project that runs, with a test, an eval and a README. */
export const initCommand = defineCommand({
  meta: {
    name: "init",
    description: "Make a new project: a server, an environment or an app, with a test, an eval and a README",
  },
  args: {
    folder: { type: "positional", description: "Where to make it; . for here", required: false },
    kind: { type: "string", description: "server, environment, or app: a server with an interactive page" },
    javascript: { type: "boolean", description: "In JavaScript instead of TypeScript", default: false },
  },
  run: async ({ args }) => {
    const kind = readKind(args.kind ?? (await asked(`What shall it be: ${kinds.join(", ")}?`, "server")));
    const folder = args.folder ?? (await asked("In which folder?", `my-${kind}`));
    if (folder === undefined)
      throw new BiplaneError("INVALID_INPUT", `say where: biplane init my-${kind} --kind ${kind}`);
    const files = projectFiles({
      name: projectName(folder),
      kind,
      isTypescript: !args.javascript,
      versions: versionsToAskFor(),
    });
    await writeProject(folder, files);
    process.stdout.write(report(folder, kind, files));
  },
});

/** Where nobody sits at a terminal, nobody is asked. */
async function asked(question: string, usual: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const answer = (await askLine(`${question} [${usual}] `)).trim();
  return answer === "" ? usual : answer;
}

function readKind(given: string | undefined): Kind {
  const kind = kinds.find((each) => each === (given ?? "server"));
  if (kind) return kind;
  throw new BiplaneError("INVALID_INPUT", `there is no kind ${JSON.stringify(given)}; there are ${kinds.join(", ")}`);
}

/** The versions that this package is tested with; and this package as it is, where it is no installed one. */
function versionsToAskFor(): Record<string, string> {
  const here = fileURLToPath(import.meta.url);
  const root = resolve(dirname(here), here.endsWith(".ts") ? "../.." : "..");
  const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
    version: string;
    devDependencies?: Record<string, string>;
  };
  const isInstalled = root.split(sep).includes("node_modules");
  return { ...manifest.devDependencies, biplane: isInstalled ? `^${manifest.version}` : `file:${root}` };
}

function report(folder: string, kind: Kind, files: Files): string {
  const place = relative(process.cwd(), resolve(folder)) || ".";
  const names = Object.keys(files).toSorted();
  const enter = place === "." ? [] : [`cd ${shellWord(place)}`];
  const look = kind === "app" ? "npx biplane app dev" : "npm start";
  const next = [...enter, "npm install", "npm test", "npm run eval", look];
  return `Made ${place === "." ? "here" : place}, ${articles[kind]}:

${names.map((name) => `  ${name}`).join("\n")}

Next:

${next.map((line) => `  ${line}`).join("\n")}

README.md says what is where.
`;
}

const articles: Readonly<Record<Kind, string>> = {
  server: "a server",
  environment: "an environment",
  app: "a server with an interactive page",
};
