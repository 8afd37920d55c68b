import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { positionOf } from "@biplane/core/internal";
import { unifiedDiff } from "../pack/filesystem/unified-diff.ts";
import { argument, command, file, oneOf, option, toggle } from "./command/define.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { hosts } from "./install/hosts.ts";
import type { DesktopHost, HttpServer } from "./install/hosts.ts";
import { hideValues } from "./install/hide-values.ts";
import { installed, readInstallLog, textBefore, writeInstallLog } from "./install/install-log.ts";
import type { Installed } from "./install/install-log.ts";
import { installedServer } from "./install/installed-server.ts";
import { deleteSettings, readSettings, writeSettings } from "./install/settings-file.ts";
import type { Settings } from "./install/settings-file.ts";
import { changeEntry, entryAt } from "./install/settings-format.ts";
import type { SettingsEntry } from "./install/settings-format.ts";
import { hostBearer } from "./install/host-bearer.ts";
import { listHosts } from "./install/list-hosts.ts";
import { cleanText } from "./terminal/clean-text.ts";
import { readTarget } from "./target/read-target.ts";
import type { WrittenTarget } from "./target/read-target.ts";
import { targetForms } from "./target/target-arg.ts";

/** `biplane install cursor` */
export const installCommand = command("Add a server to the settings of a desktop host, such as Cursor", {
  args: {
    host: argument(`The host: ${Object.keys(hosts).join(", ")} (default: list them with their files)`, {
      takes: oneOf(...Object.keys(hosts)),
      required: false,
    }),
    target: argument(`What to add: ${targetForms} (default: biplane.yaml in this folder)`, {
      takes: { kind: "targets" },
      required: false,
    }),
    name: option("The server's name in the settings (default: from what is added)"),
    config: option("The config file to serve (default: biplane.yaml)", { takes: file }),
    bearer: option("For a URL: a token; '$NAME' in single quotes names an environment variable"),
    project: toggle("Change the host's settings in this folder, which may be shared, instead of the user's"),
    "dry-run": toggle("Show the change without writing it"),
    undo: toggle("Undo the last install, or the last one of --name"),
  },
  run: async ({ args, rawArgs }) => {
    if (args.host === undefined) return void process.stdout.write(listHosts());
    if (!isHost(args.host)) throw usageError(`${JSON.stringify(args.host)} is not a host. Hosts: ${names}.`);
    const host: DesktopHost = hosts[args.host];
    const place = { id: args.host, host, file: settingsFile(host, args.project), isDryRun: args["dry-run"] };
    if (args.undo) return undo(place, args.name);
    const isForProject = args.project;
    const bearer = hostBearer(args.bearer, host);
    const server = await installedServer(targetOf(args.target, rawArgs), {
      config: args.config,
      bearer: isForProject ? sharedBearer(bearer, host) : bearer,
      needsStdio: host.http === undefined,
      isForProject,
    });
    const name = entryName(args.name ?? server.name, { isGiven: args.name !== undefined });
    const entry = "http" in server ? host.http?.(server.http, name) : host.stdio(server.stdio, name);
    if (entry) await install(place, name, entry);
  },
});

const names = Object.keys(hosts).join(", ");

function isHost(name: string): name is keyof typeof hosts {
  return Object.hasOwn(hosts, name);
}

interface Place {
  readonly id: string;
  readonly host: DesktopHost;
  readonly file: string;
  readonly isDryRun: boolean;
}

async function install({ id, host, file: path, isDryRun }: Place, name: string, entry: SettingsEntry): Promise<void> {
  const before = await readSettings(path);
  const current = inFile(before, (text) => entryAt(host.format.parse(text), [host.key, name]));
  const after = inFile(before, (text) => changeEntry(text, [host.key, name], { format: host.format, entry }));
  if (after === before.text) return void process.stdout.write(`${host.title} has ${name} already: ${before.path}\n`);
  await show(before, after, host);
  if (isDryRun) return void process.stdout.write("Nothing was written, because of --dry-run.\n");
  const previous = (current as SettingsEntry | undefined) ?? null;
  const log = await readInstallLog();
  await writeSettings(before, after);
  await writeInstallLog([...log, installed({ host: id, name, previous, before, after })]);
  const verb = previous ? "Replaced" : "Added";
  process.stdout.write(`${verb} ${name} in ${before.path}\n${host.reload}\nUndo: npx biplane install ${id} --undo\n`);
}

async function undo({ id, host, file: path, isDryRun }: Place, name: string | undefined): Promise<void> {
  const before = await readSettings(path);
  const log = await readInstallLog();
  const at = log.findLastIndex(
    (each) => each.host === id && each.file === before.path && (name === undefined || each.name === name),
  );
  const last = log[at];
  if (!last) {
    const what = name === undefined ? "No install" : `No install of ${name}`;
    throw inputError(`${what} in ${before.path} is recorded. To remove a server, edit the file.`);
  }
  const after = textBefore(last, before.text) ?? withoutEntry(before, last, host);
  await show(before, after, host);
  if (isDryRun) return void process.stdout.write("Nothing was written, because of --dry-run.\n");
  if (after === "" && !last.hadFile) await deleteSettings(before);
  else await writeSettings(before, after);
  await writeInstallLog(log.toSpliced(at, 1));
  process.stdout.write(`${last.previous ? "Restored" : "Removed"} ${last.name} in ${before.path}\n${host.reload}\n`);
}

/** The file has changed since, so that only the entry is taken back. */
function withoutEntry(settings: Settings, { name, previous }: Installed, { format, key }: DesktopHost): string {
  return inFile(settings, (text) => {
    const isThere = entryAt(format.parse(text), [key, name]) !== undefined;
    if (!isThere && !previous) return text;
    return changeEntry(text, [key, name], { format, entry: previous ?? undefined });
  });
}

/** Works on the text after a byte order mark, which stays. Errors name the file and the position in it. */
function inFile<T>({ path, text }: Settings, work: (text: string) => T): T {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  try {
    const result = work(text.slice(mark.length));
    return typeof result === "string" ? ((mark + result) as T) : result;
  } catch (error) {
    if (!(error instanceof BiplaneError)) throw error;
    const offset = error.details?.["offset"];
    const { line, column } = positionOf(text, typeof offset === "number" ? offset : 0);
    const where = typeof offset === "number" ? `${path}:${line}:${column}` : path;
    const message = `${where}: the file ${error.message}. Nothing was written.`;
    throw new BiplaneError("INVALID_DEFINITION", message, { cause: error });
  }
}

async function show(before: Settings, after: string, host: DesktopHost): Promise<void> {
  const { path } = before;
  const hidden = (text: string) => inFile({ ...before, text }, (plain) => hideValues(plain, host));
  let change: string;
  try {
    change = await unifiedDiff(hidden(before.text), hidden(after), { path });
  } catch (error) {
    if (!(error instanceof BiplaneError)) throw error;
    change = `The change of ${path} is not shown, because values of env and headers in it cannot be hidden.\n`;
  }
  process.stdout.write(cleanText(change));
}

function sharedBearer(bearer: HttpServer["bearer"], { title, readsVariables }: DesktopHost): HttpServer["bearer"] {
  if (!bearer || "variable" in bearer) return bearer;
  const next = readsVariables
    ? "Pass '$NAME' in single quotes, the name of a variable that has it."
    : `${title} reads no variables. Omit --project.`;
  throw usageError(`Others may share the settings of a project, so that no token is written there. ${next}`);
}

function settingsFile({ title, projectFile, userFile }: DesktopHost, isForProject: boolean): string {
  if (!isForProject) return userFile({ platform: process.platform, home: homedir(), environment: process.env });
  if (projectFile === undefined) throw usageError(`${title} has no settings for a project. Omit --project.`);
  return join(resolve("."), projectFile);
}

function targetOf(given: string | undefined, rawArgs: readonly string[]): WrittenTarget | undefined {
  const dashes = rawArgs.indexOf("--");
  if (dashes === -1) return given === undefined ? undefined : readTarget(given);
  const [program, ...args] = rawArgs.slice(dashes + 1);
  if (program === undefined) throw usageError("Pass the command that starts the server after --.");
  return { kind: "command", command: program, args };
}

/** Every host takes these names. */
function entryName(name: string, { isGiven }: { readonly isGiven: boolean }): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  const valid = name
    .replaceAll(/[^\w-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64);
  if (isGiven || valid === "")
    throw usageError(`--name must have 1 to 64 letters, digits, - or _, not ${JSON.stringify(name)}.`);
  return valid;
}
