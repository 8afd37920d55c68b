import type { Files, Parts, ProjectOptions } from "./project.ts";

/** What every project has: package.json, biplane.yaml, README.md, .gitignore and, for TypeScript, tsconfig.json. */
export function sharedFiles(options: ProjectOptions, parts: Parts): Files {
  return {
    "package.json": manifest(options, parts),
    "biplane.yaml": config(options, parts),
    "README.md": readme(options, parts),
    ".gitignore": "node_modules/\n.biplane/\n*.log\n",
    ...(options.isTypescript && { "tsconfig.json": tsconfig }),
  };
}

function manifest({ name, isTypescript, versions }: ProjectOptions, { test, evaluation, packages }: Parts): string {
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, versions[each] ?? "*"]));
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      start: "biplane serve",
      test: `node ${isTypescript ? "--import tsx " : ""}--test --test-reporter=spec ${test}`,
      eval: `biplane rollout ${evaluation}`,
      ...(isTypescript && { types: "tsc --noEmit" }),
    },
    dependencies: pick(packages.toSorted()),
    ...(isTypescript && { devDependencies: pick(["@types/node", "tsx", "typescript"]) }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function config({ name, kind }: ProjectOptions, { entry, config: rest }: Parts): string {
  return `# What \`biplane serve\` reads. \`biplane config check\` tells what is wrong with it, and what it comes to.
name: ${JSON.stringify(name)}
${kind === "environment" ? "environments" : "servers"}: [./${entry}]
listen: http://127.0.0.1:8000

# Where approvals, secrets, people and the audit log are kept. Keep it out of git.
store: ./.biplane/store.db
${rest}`;
}

function readme({ name, kind }: ProjectOptions, { entry, test, about }: Parts): string {
  return `# ${name}

${kind === "environment" ? "An environment" : kind === "app" ? "A server with an interactive page" : "A server"} made with Biplane.

\`\`\`sh
npm install
npm test          # ${test}
npm run eval      # an agent plays eval/rows.jsonl, and the score is held against a threshold
npm start         # serves on http://127.0.0.1:8000
\`\`\`

While it runs, in another terminal:

\`\`\`sh
npx biplane tools http://127.0.0.1:8000/mcp
npx biplane inspect http://127.0.0.1:8000/mcp
\`\`\`

## What is where

| file | what it is |
| --- | --- |
| \`${entry}\` | the tools |
| \`${test}\` | their test |
| \`eval/\` | rows to play, who plays them, and how that is judged |
| \`biplane.yaml\` | what is served, where, and under which rules |
| \`.biplane/\` | what is kept; not in git |

${about}
\`npx biplane doctor\` tells what is missing when something does not work, \`npx biplane help\` what else there is.
`;
}

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: "es2023",
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      types: ["node"],
      lib: ["es2023", "dom"],
    },
    include: ["src", "test", "eval"],
  },
  undefined,
  2,
)}\n`;
