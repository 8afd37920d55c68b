import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import type { Repository } from "./repository.ts";
import { checkRevision, pathsField, revisionField } from "./revision.ts";

export function gitHistoryTools(repository: Repository, { maxBytes }: { maxBytes: number }): readonly Tool[] {
  const shared = {
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
  } as const;
  return [
    tool({
      ...shared,
      name: "git_log",
      title: "Log",
      description: "List the commits of a branch or range, newest first.",
      input: {
        type: "object",
        properties: {
          revision: { ...revisionField, default: "HEAD" },
          paths: pathsField,
          limit: { type: "integer", minimum: 1, maximum: 500, default: 20 },
          skip: { type: "integer", minimum: 0, default: 0, description: "How many commits to skip" },
        },
      },
      output: {
        type: "object",
        required: ["commits"],
        properties: {
          commits: {
            type: "array",
            items: {
              type: "object",
              required: ["hash", "author", "date", "message"],
              properties: {
                hash: { type: "string" },
                author: { type: "string" },
                date: { type: "string" },
                message: { type: "string" },
              },
            },
          },
        },
      },
      run: (input, { signal }) => log(repository, { ...(input as LogInput), maxBytes, signal }),
    }),
    tool({
      ...shared,
      name: "git_diff",
      title: "Diff",
      description: "Show changes: unstaged changes, staged changes, or changes since a revision.",
      input: {
        type: "object",
        properties: {
          staged: { type: "boolean", default: false, description: "Show staged changes instead of unstaged ones" },
          revision: { ...revisionField, description: "Compare with this commit, or compare the two ends of a range" },
          paths: pathsField,
          context: { type: "integer", minimum: 0, maximum: 100, default: 3, description: "Lines around each change" },
        },
      },
      output: patchOutput,
      run: (input, { signal }) => diff(repository, { ...(input as DiffInput), maxBytes, signal }),
    }),
    tool({
      ...shared,
      name: "git_show",
      title: "Show",
      description: "Show a commit with its changes. With path, show that file as of the commit.",
      input: {
        type: "object",
        properties: { revision: { ...revisionField, default: "HEAD" }, path: { type: "string", minLength: 1 } },
      },
      output: patchOutput,
      run: (input, { signal }) => show(repository, { ...(input as ShowInput), maxBytes, signal }),
    }),
  ];
}

const patchOutput = {
  type: "object",
  required: ["content", "truncated"],
  properties: {
    content: { type: "string" },
    truncated: { type: "boolean", description: "True if the content was truncated" },
  },
} as const;

type Bounds = { readonly maxBytes: number; readonly signal: AbortSignal };
type LogInput = {
  readonly revision?: string;
  readonly paths?: readonly string[];
  readonly limit?: number;
  readonly skip?: number;
};
type DiffInput = {
  readonly staged?: boolean;
  readonly revision?: string;
  readonly paths?: readonly string[];
  readonly context?: number;
};
type ShowInput = { readonly revision?: string; readonly path?: string };

const safeDiff = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color"];

async function log(repository: Repository, input: LogInput & Bounds): Promise<Reply> {
  const { revision = "HEAD", paths = [], limit = 20, skip = 0, maxBytes, signal } = input;
  const format = "--format=%H%x1f%an <%ae>%x1f%aI%x1f%B%x1e";
  const command = ["log", format, `--max-count=${limit}`, `--skip=${skip}`, "--no-show-signature", "--no-color"];
  const { output } = await repository.read(
    [...command, "--end-of-options", checkRevision(revision), "--", ...pathsOf(repository, paths)],
    { maxBytes, signal },
  );
  const commits = output.split("\x1e\n").flatMap((line) => {
    const [hash, author, date, message] = line.replaceAll("\x1e", "").split("\x1f");
    return hash && author && date ? [{ hash, author, date, message: (message ?? "").trim() }] : [];
  });
  const shown = commits.map(
    ({ hash, author, date, message }) =>
      `${hash.slice(0, 10)} ${date} ${author}\n    ${message.replaceAll("\n", "\n    ")}`,
  );
  return reply(text(shown.join("\n\n") || "No commits."), { structured: { commits } });
}

async function diff(repository: Repository, input: DiffInput & Bounds): Promise<Reply> {
  const { staged = false, revision, paths = [], context = 3, maxBytes, signal } = input;
  const command = ["diff", ...safeDiff, `--unified=${context}`, ...(staged ? ["--cached"] : [])];
  const against = revision === undefined ? [] : ["--end-of-options", checkRevision(revision)];
  const { output, isCut } = await repository.read([...command, ...against, "--", ...pathsOf(repository, paths)], {
    maxBytes,
    signal,
  });
  return patch(output, isCut, "No changes.");
}

async function show(
  repository: Repository,
  { revision = "HEAD", path, maxBytes, signal }: ShowInput & Bounds,
): Promise<Reply> {
  const commit = checkRevision(revision);
  const command =
    path === undefined
      ? ["show", ...safeDiff, "--no-show-signature", "--format=fuller", "--end-of-options", commit, "--"]
      : ["cat-file", "blob", `${commit}:${repository.root.parse(path).join("/")}`];
  const { output, isCut } = await repository.read(command, { maxBytes, signal });
  return patch(output, isCut, "");
}

function patch(output: string, isCut: boolean, empty: string): Reply {
  const more = isCut ? "\n… (truncated)" : "";
  return reply(text(output + more || empty), { structured: { content: output, truncated: isCut } });
}

function pathsOf({ root }: Repository, paths: readonly string[]): string[] {
  return paths.map((path) => root.parse(path).join("/") || ".");
}
