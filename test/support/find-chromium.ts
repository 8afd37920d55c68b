import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumPaths, isExecutable } from "../../packages/biplane/src/pack/browser/chromium-paths.ts";
import { tryProgram } from "./try-program.ts";

/** The browser of the tests: the system's, else the one of `@sparticuz/chromium`, else why there is none. */
export type FoundChromium =
  | { readonly path: string; readonly missing?: never }
  | { readonly path?: never; readonly missing: string };

let found: FoundChromium | undefined;

export function findChromium(): FoundChromium {
  return (found ??= find());
}

function find(): FoundChromium {
  const path = chromiumPaths.find((each) => isExecutable(each) && tryProgram(each) === undefined);
  if (path !== undefined) return { path };
  if (process.platform !== "linux" || process.arch !== "x64")
    return { missing: `Chromium (not installed, and npm has none for ${process.platform} ${process.arch})` };
  try {
    const unpacked = unpackChromium();
    const fault = tryProgram(unpacked);
    if (fault === undefined) return { path: unpacked };
    return { missing: `Chromium (not installed, and the one from npm ${fault})` };
  } catch (error) {
    return { missing: `Chromium (not installed, and the one from npm cannot be unpacked: ${firstLine(error)})` };
  }
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split("\n")[0];

/**
 * Unpacks the browser with its libraries and fonts, once for each user and version.
 * Two processes may do so at the same time: each works in a folder of its own, and the first to finish renames it.
 */
function unpackChromium(): string {
  const require = createRequire(import.meta.url);
  const manifest = join(dirname(require.resolve("@sparticuz/chromium")), "../../package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const cache = join(userInfo().homedir, ".cache", "biplane-test");
  const folder = join(cache, `chromium-${version}`);
  const start = join(folder, "start.sh");
  if (existsSync(start)) return start;

  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(`${folder}-`);
  try {
    // The package unpacks to the temporary folder, and its libraries only where it believes to be on Lambda.
    execFileSync(process.execPath, ["--input-type=module", "-e", unpack], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" },
    });
    writeFileSync(join(staging, "fonts", "fonts.conf"), fontsConfig(join(folder, "fonts")));
    writeFileSync(join(staging, "start.sh"), startScript, { mode: 0o755 });
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!existsSync(start)) throw error;
  }
  return start;
}

const unpack = 'await (await import("@sparticuz/chromium")).default.executablePath()';

/** A script, because the browser pack gives its browser no environment of ours. */
const startScript = `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib"
export FONTCONFIG_PATH="$here/fonts"
export HOME="\${HOME:-$here}"
exec "$here/chromium" "$@"
`;

function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir>${folder}/cache</cachedir>
</fontconfig>
`;
}
