import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const address = "https://github.com/biplane-dev/biplane";

/** Versions in CHANGELOG.md, the newest first. */
export const versions = Array.from(
  readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## \[([^\]]+)\] - (.+)$/gm),
  ([, version = "", date = ""]) => ({ version, isReleased: date !== "unreleased" }),
);

const [current] = versions;

/** The tag of this version, or `main` before its release. */
const ref = current?.isReleased ? `v${current.version}` : "main";

/** Pages beside those of docs/, by file. */
const otherPages: Readonly<Record<string, string>> = {
  "README.md": "overview.md",
  "CHANGELOG.md": "changelog.md",
  "SECURITY.md": "security.md",
  "site/index.md": "index.md",
};

/** The path that a file has on the site, or undefined if it is no page. */
export function pageOf(file: string): string | undefined {
  if (Object.hasOwn(otherPages, file)) return otherPages[file];
  return /^(?:docs|site)\/(.+\.md)$/.exec(file)?.[1];
}

/** Where a link of a file leads on the site: to a page, or to the file on the forge. */
export function siteLink(from: string, link: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const file = relative(root, join(root, dirname(from), decodeURIComponent(path)));
  const page = pageOf(file);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (page !== undefined && existsSync(join(root, file))) return `/${page}${hash}`;
  // VitePress reports a link to a page that does not exist.
  return existsSync(join(root, file)) ? `${forge("blob", file)}${hash}` : link;
}

export const repository = {
  address,
  editPattern: `${address}/edit/main/:path`,
  docsOf: (version: string) => `${address}/tree/v${version}/docs`,
};

function forge(view: "blob", file: string): string {
  return `${address}/${view}/${ref}/${file}`;
}
