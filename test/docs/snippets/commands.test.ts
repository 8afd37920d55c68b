import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandTree } from "../../../packages/biplane/src/cli/completion/command-tree.ts";
import { blocksIn, documents, readDocument } from "../code-blocks.ts";
import { shellCommands } from "./shell-words.ts";

const tree = new Map((await commandTree()).map((command) => [command.path, command]));
const manifest = new URL("../../../package.json", import.meta.url);
const { scripts } = JSON.parse(readFileSync(manifest, "utf8")) as { scripts: Record<string, string> };

test.each(documents)("the commands in %s exist, with the options that it shows", (file) => {
  const commands = [...shownCommands(file), ...mentionedCommands(file)];
  expect(commands.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
});

test.each(["README.md", "CONTRIBUTING.md", ...documents])("the npm scripts in %s exist", (file) => {
  const named = Array.from(readDocument(file).matchAll(/\bnpm run ([\w:-]+)/g), ([, name = ""]) => name);
  // Projects that `biplane init` makes have these.
  const known = new Set([...Object.keys(scripts), "eval", "dev"]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test("wrong commands are found", () => {
  const wrong = ["biplane sreve", "npx biplane serve --prot 1 # comment", "a=$(biplane people tokn ada)"];
  const right = ["biplane serve 'x | y' | head", "npx biplane runs --tag a && ls --color", "npm install biplane"];
  const problemsOf = (script: string) => biplaneCommands(script).map(problemOf);
  expect(wrong.flatMap(problemsOf)).toEqual([
    "biplane sreve: no such command",
    "biplane serve --prot 1: no option --prot",
    "biplane people tokn ada: no such command",
  ]);
  expect(right.flatMap(problemsOf)).toEqual([undefined, undefined]);
});

/** Arguments after `biplane`, of every such command in blocks. */
function shownCommands(file: string): string[][] {
  return blocksIn(file).flatMap(({ info, code }) => {
    if (info.startsWith("sh")) return biplaneCommands(code);
    if (!info.startsWith("console")) return [];
    return Array.from(code.matchAll(/^\$ (.*(?:\n> .*)*)/gm), ([, typed = ""]) => typed).flatMap(biplaneCommands);
  });
}

/** Those in the text, such as `biplane serve --watch`. */
function mentionedCommands(file: string): string[][] {
  const text = readDocument(file).replaceAll(/^```[\s\S]*?^```$/gm, "");
  return Array.from(text.matchAll(/`((?:npx )?biplane [^`\n]+)`/g), ([, code = ""]) => code).flatMap(biplaneCommands);
}

function biplaneCommands(script: string): string[][] {
  return shellCommands(script).flatMap((words) => {
    const [first, ...rest] = words[0] === "npx" ? words.slice(1) : words;
    return first === "biplane" ? [rest] : [];
  });
}

function problemOf(words: readonly string[]): string | undefined {
  const shown = ["biplane", ...words].join(" ");
  let path = "";
  let rest = words;
  while (rest[0] !== undefined && (tree.get(path)?.subCommands.length ?? 0) > 0 && !/^[-<…]/.test(rest[0])) {
    path = `${path} ${rest[0]}`.trim();
    rest = rest.slice(1);
    // A command with subcommands can have a target of its own.
    if (!tree.has(path)) return `${shown}: no such command`;
  }
  const flags = new Set(tree.get(path)?.options.flatMap((option) => option.flags));
  const end = rest.indexOf("--");
  const unknown = rest
    .slice(0, end === -1 ? undefined : end)
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/=.*/s, ""))
    .filter((flag) => !flags.has(flag));
  return unknown.length === 0 ? undefined : `${shown}: no option ${unknown.join(", ")}`;
}
