import { defineConfig } from "vite";
import type { Plugin } from "vite";

/** The server that `vite` alone passes the API on to; a build needs none. */
const server = process.env["BIPLANE_URL"] ?? "http://127.0.0.1:8000";

/** While views are being written: the others are left out of a build, so that a broken one does not break all. */
const wanted = process.env["BIPLANE_PAGE_VIEWS"]?.split(",");

export default defineConfig({
  root: import.meta.dirname,
  plugins: wanted ? [leaveOut(wanted)] : [],
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    // Browsers that know light-dark() themselves.
    cssTarget: ["chrome123", "edge123", "firefox121", "safari17.5"],
    outDir: "../dist/page",
    emptyOutDir: true,
    assetsDir: "assets",
    // Nothing inline: the page's own policy forbids it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      "/api": {
        target: server,
        // The API answers only to its own page.
        configure: (proxy) => proxy.on("proxyReq", (request) => request.setHeader("origin", server)),
      },
    },
  },
});

function leaveOut(kept: readonly string[]): Plugin {
  const stub = "\0left-out";
  const code = `import { jsx } from "preact/jsx-runtime"; export default () => jsx("h1", { children: "Left out" });`;
  return {
    name: "leave-out",
    enforce: "pre",
    resolveId(id) {
      const [, view] = /^\.\/views\/(\w+)\/index\.tsx$/.exec(id) ?? [];
      return view !== undefined && !kept.includes(view) ? stub : undefined;
    },
    load: (id) => (id === stub ? code : undefined),
  };
}
