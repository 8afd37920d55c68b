import { argument, command, toggle, folder, oneOf, option } from "./command/define.ts";
import { relative, resolve } from "node:path";
import { dependencyVersions } from "./init/dependencies.ts";
import { projectKinds, projectFiles } from "./init/project.ts";
import type { ProjectFiles, ProjectKind } from "./init/project.ts";
import { projectName } from "./init/project-name.ts";
import { writeProject } from "./init/write-project.ts";
import { usageError } from "./command/exit-code.ts";
import { askLine } from "./terminal/ask-line.ts";
import { shellArgument } from "./terminal/shell-quote.ts";

/** `biplane init my-server`: a runnable project with a test, an eval and a README. */
export const initCommand = command(
  "Create a project: a server, an environment or an app, with a test, an eval and a README",
  {
    args: {
      folder: argument("Folder to create; . for the current one (default: asks)", { takes: folder, required: false }),
      kind: option(
        "server, environment, or app: a server with an interactive page (default: asks, or server without a terminal)",
        {
          takes: oneOf(...projectKinds),
        },
      ),
      javascript: toggle("Use JavaScript instead of TypeScript"),
    },
    run: async ({ args }) => {
      const kind = readKind(args.kind ?? (await askUser(`Kind of project (${projectKinds.join(", ")})?`, "server")));
      const folder = args.folder ?? (await askUser("Folder?", `my-${kind}`));
      if (folder === undefined) throw usageError(`Pass a folder, such as biplane init my-${kind} --kind ${kind}.`);
      const files = projectFiles({
        name: projectName(folder),
        kind,
        isTypescript: !args.javascript,
        versions: dependencyVersions(),
      });
      await writeProject(folder, files);
      process.stdout.write(report(folder, kind, files));
    },
  },
);

/** Undefined without a terminal: scripts must pass the arguments. */
async function askUser(question: string, fallback: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const answer = (await askLine(`${question} [${fallback}] `)).trim();
  return answer === "" ? fallback : answer;
}

function readKind(given: string | undefined): ProjectKind {
  const kind = projectKinds.find((each) => each === (given ?? "server"));
  if (kind) return kind;
  throw usageError(`Unknown kind ${JSON.stringify(given)}. Use ${projectKinds.join(", ")}.`);
}

function report(folder: string, kind: ProjectKind, files: ProjectFiles): string {
  const place = relative(process.cwd(), resolve(folder)) || ".";
  const names = Object.keys(files).toSorted();
  const enter = place === "." ? [] : [`cd ${shellArgument(place)}`];
  const start = kind === "app" ? "npx biplane app dev" : "npm start";
  const next = [...enter, "npm install", "npm test", "npm run eval", start];
  return `Created ${articles[kind]} in ${place === "." ? "this folder" : place}:

${names.map((name) => `  ${name}`).join("\n")}

Next:

${next.map((line) => `  ${line}`).join("\n")}

README.md describes the files.
`;
}

const articles: Readonly<Record<ProjectKind, string>> = {
  server: "a server",
  environment: "an environment",
  app: "a server with an interactive page",
};
