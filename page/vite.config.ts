import { defineConfig } from "vite";

/** The server that `vite` alone passes the API on to; a build needs none. */
const server = process.env["BIPLANE_URL"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  root: import.meta.dirname,
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
