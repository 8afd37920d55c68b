import { relative } from "node:path";
import type { MarkdownOptions } from "vitepress";
import { root, siteLink } from "./repository.ts";

type MarkdownIt = Parameters<NonNullable<MarkdownOptions["config"]>>[0];

/** The anchor that GitHub gives a heading, so that links work in both places. */
export function slugify(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** What the documents need that VitePress does not do. */
export function extendMarkdown(markdown: MarkdownIt): void {
  linkToSite(markdown);
  renderCode(markdown);
}

/** Documents link to each other, and to files of the repository, by relative paths. */
function linkToSite(markdown: MarkdownIt): void {
  markdown.core.ruler.push("link-to-site", ({ tokens, env }) => {
    const { realPath, path } = env as { realPath?: string; path: string };
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href !== null) token.attrSet("href", siteLink(relative(root, realPath ?? path), href));
    }
  });
}

function renderCode(markdown: MarkdownIt): void {
  const { code_inline: render } = markdown.renderer.rules;
  markdown.renderer.rules.code_inline = (...args) => {
    const html = render?.(...args) ?? "";
    // Vue takes two braces for the start of an expression, also in code that it is to leave alone.
    const literal = html.replaceAll("{{", "&#123;&#123;");
    // Long names may break, so that they do not take the width of a table.
    return literal.length < 40 ? literal : literal.replaceAll(/(?<=\w[._/])(?=\w+(?![^<]*>))/g, "<wbr>");
  };
}

/** On a busy machine, the first line of TypeScript would take longer than a line may, and stay without colours. */
export async function warmUp(shiki: Highlighter): Promise<void> {
  await shiki.loadLanguage("ts");
  const [theme = ""] = shiki.getLoadedThemes();
  shiki.codeToTokens('import { tool } from "biplane";', { lang: "ts", theme, tokenizeTimeLimit: 0 });
}

type Highlighter = Parameters<NonNullable<MarkdownOptions["shikiSetup"]>>[0];
