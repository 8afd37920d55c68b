import { parentPort } from "node:worker_threads";
import { htmlToMarkdown } from "./html-to-markdown.ts";

/** Turns one page after another into Markdown, in a thread that can be ended when a page takes too long. */
parentPort?.on("message", ({ html, url }: { html: string; url: string }) => {
  try {
    tell({ page: htmlToMarkdown(html, url) });
  } catch (error) {
    tell({ fault: error instanceof RangeError ? "it is nested too deeply" : "its markup is broken" });
  }
});
tell("ready");

function tell(report: unknown): void {
  parentPort?.postMessage(report, []);
}
