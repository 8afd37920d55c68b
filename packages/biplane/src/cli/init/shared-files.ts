import type { ProjectFiles, ProjectParts, ProjectOptions } from "./project.ts";

/** Files of every project: package.json, biplane.yaml, README.md, .gitignore and, for TypeScript, tsconfig.json. */
export function sharedFiles(options: ProjectOptions, parts: ProjectParts): ProjectFiles {
  return {
    "package.json": manifest(options, parts),
    "biplane.yaml": config(options, parts),
    "README.md": readme(options, parts),
    ".gitignore": "node_modules/\n.biplane/\n*.log\n",
    ...(options.isTypescript && { "tsconfig.json": tsconfig }),
  };
}

function manifest(
  { name, isTypescript, versions }: ProjectOptions,
  { test, evaluation, packages }: ProjectParts,
): string {
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, versions[each]]));
  const fromTarballs = Object.keys(versions).filter((each) => each.startsWith("@biplane/"));
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
    dependencies: pick([...packages, ...fromTarballs].toSorted()),
    ...(isTypescript && { devDependencies: pick(["@types/node", "tsx", "typescript"]) }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function config({ name, kind }: ProjectOptions, { entry, config: rest }: ProjectParts): string {
  return `# yaml-language-server: $schema=./node_modules/biplane/dist/biplane.schema.json
# Settings for \`biplane serve\`. Run \`biplane config check\` to validate this file.
name: ${JSON.stringify(name)}
${kind === "environment" ? "environments" : "servers"}: [./${entry}]
listen: http://127.0.0.1:8000

# Approvals, secrets, accounts and the audit log. Do not commit this file to git.
store: ./.biplane/store.db
${rest}`;
}

function readme({ name, kind }: ProjectOptions, { entry, test, about }: ProjectParts): string {
  return `# ${name}

${kind === "environment" ? "An environment" : kind === "app" ? "A server with an interactive page" : "A server"} built with Biplane.

\`\`\`sh
npm install
npm test          # ${test}
npm run eval      # an agent plays eval/rows.jsonl; fails if the score is below the threshold
npm start         # serves on http://127.0.0.1:8000
\`\`\`

While \`npm start\` runs, in another terminal:

\`\`\`sh
npx biplane tools http://127.0.0.1:8000/mcp
npx biplane inspect http://127.0.0.1:8000/mcp
\`\`\`

## Files

| File | Contents |
| --- | --- |
| \`${entry}\` | The tools${entry.includes("environment") ? ", the state and the rewards" : ""} |
| \`${test}\` | Tests of the tools |
| \`eval/\` | Rows to play, the agent that plays them, and how they are scored |
| \`biplane.yaml\` | What is served, the address, and the policies |
| \`.biplane/\` | Stored data; ignored by git |

${about}
If something does not work, run \`npx biplane doctor\`. \`npx biplane help\` lists all commands.
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
