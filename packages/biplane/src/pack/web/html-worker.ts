import { answerJobs } from "../shared/worker/answer-jobs.ts";
import { boundedMarkup } from "./bounded-markup.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

/** Worker entry. Converts pages to Markdown in a thread that can be terminated if a page takes too long. */
answerJobs(({ html, url }: { html: string; url: string }) => htmlToMarkdown(boundedMarkup(html), url));
