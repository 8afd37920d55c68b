import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import type { PageData } from "vitepress";
import { writeReference } from "../reference/write-reference.ts";
import { extendMarkdown, slugify, warmUp } from "./markdown.ts";
import { pageOf, repository, root, versions } from "./repository.ts";
import { sidebar } from "./sidebar.ts";

const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(root, "page/src/icon.svg"), "utf8"))}`;
const [current, ...earlier] = versions;

/** The tables of these pages need the room of the outline. */
const wide = { frontmatter: { aside: false, pageClass: "wide" } };

/** What pages have besides their text, which is also read on the forge. */
const layouts: Readonly<Record<string, Partial<PageData>>> = {
  "overview.md": { title: "Overview" },
  "api.md": wide,
  "config.md": wide,
  "designs.md": wide,
};

writeReference();

export default defineConfig({
  title: "Biplane",
  description: "Write a tool once in TypeScript. Serve it to agents over MCP, govern every call, train on it.",
  lang: "en",
  // Documents stay where they are; a page has the path of its file in docs/.
  srcDir: root,
  srcExclude: readdirSync(root)
    .filter((name) => !["docs", "site", "README.md", "CHANGELOG.md", "SECURITY.md"].includes(name))
    .map((name) => `${name}{,/**}`),
  rewrites: (file) => pageOf(file) ?? file,
  outDir: join(root, "site/dist"),
  cacheDir: join(root, ".cache/vitepress"),
  base: process.env["SITE_BASE"] ?? "/",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: icon }]],
  transformPageData: ({ relativePath }) => layouts[relativePath],
  markdown: {
    anchor: { slugify },
    config: extendMarkdown,
    shikiSetup: warmUp,
  },
  vite: {
    // Browsers with native light-dark(), as for the admin page.
    build: { cssTarget: ["chrome123", "edge123", "firefox121", "safari17.5"], chunkSizeWarningLimit: 4096 },
  },
  themeConfig: {
    logo: { src: icon, alt: "" },
    nav: [
      { text: "Tour", link: "/tour" },
      { text: "Docs", link: "/tools" },
      { text: "API", link: "/reference/" },
      {
        text: current?.isReleased ? `v${current.version}` : `v${current?.version} (unreleased)`,
        items: [
          { text: "Changelog", link: "/changelog" },
          ...earlier.map(({ version }) => ({ text: `Docs of v${version}`, link: repository.docsOf(version) })),
        ],
      },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository.address }],
    editLink: { pattern: repository.editPattern, text: "Edit this page" },
    footer: { message: "Apache-2.0" },
  },
});
