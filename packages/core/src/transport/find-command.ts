import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** The path of an executable, searched like a shell does; undefined if there is none. */
export function findCommand(command: string, options: { path: string; cwd: string }): string | undefined {
  if (command.includes("/") || isAbsolute(command)) {
    const file = resolve(options.cwd, command);
    return isExecutable(file) ? file : undefined;
  }
  const folders = options.path.split(delimiter).filter((folder) => folder !== "");
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  const files = folders.flatMap((folder) =>
    endings.map((ending) => join(resolve(options.cwd, folder), command + ending)),
  );
  return files.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
