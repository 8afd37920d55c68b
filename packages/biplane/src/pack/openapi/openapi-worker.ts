import { answerJobs } from "../shared/worker/answer-jobs.ts";
import { readApiDocument } from "./read-document.ts";

/** Worker entry. Reads documents in a thread that can be terminated if one takes too long. */
answerJobs(readApiDocument);
