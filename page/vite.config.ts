import { defineConfig } from "vite";

/** The server that the development proxy forwards API requests to. */
const server = process.env["BIPLANE_URL"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    // Browsers with native light-dark().
    cssTarget: ["chrome123", "edge123", "firefox121", "safari17.5"],
    outDir: "../packages/biplane/dist/page",
    emptyOutDir: true,
    assetsDir: "assets",
    // The page's content security policy forbids inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      "/api": {
        target: server,
        // The API accepts only requests from its own origin.
        configure: (proxy) => proxy.on("proxyReq", (request) => request.setHeader("origin", server)),
      },
    },
  },
});
