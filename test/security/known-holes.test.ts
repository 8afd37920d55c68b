import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Holes that assistants like this one have had, and the test here that would fail if one came back. */
const holes: readonly (readonly [hole: string, file: string, test: string])[] = [
  [
    "code given by the agent runs unseen",
    "pack/script/approval",
    "code given to script_exec is approved like a script",
  ],
  [
    "a cached text runs instead of the approved one",
    "pack/script/approval",
    "what was listed or reloaded in between is not what runs",
  ],
  ["a second suffix, or a path, names another script", "pack/script/approval", "is no name of a script"],
  [
    "a file is swapped between check and use",
    "pack/script/approval",
    "a file swapped between the approval and the run does not run",
  ],
  [
    "one bad byte ends a stdio server",
    "wire/fuzz",
    "every line that asks something gets its answer, and the process goes on",
  ],
  ["a name on a list approves any bytes", "pack/script/approval", "an allowlist entry is for its bytes"],
  [
    "a store that cannot be read approves",
    "admin/approvals/approvals",
    "a store that is broken or missing means not approved",
  ],
  [
    "an answer reaches a running server only after a restart",
    "pack/script/approval",
    "a yes or no given in another process counts at the next call",
  ],
  ["a note configures git", "pack/vault/sync", "hook, filter, monitor or helper runs"],
  ["a fetch reaches this machine or its network", "pack/net/ssrf", "is refused before anything connects"],
  [
    "a sibling folder counts as inside",
    "pack/workspace/workspace",
    "a sibling whose name begins like the root is not in it",
  ],
  ["a link leads outside", "pack/workspace/workspace", "links inside are followed, links outside are not"],
  ["secrets leave by keys, encodings or overlaps", "wire/secrets-fuzz", "none gets out of any wire"],
  ["the address of a private calendar is in an error", "pack/calendar/calendar", "are secrets of the pack"],
  ["a value that holds itself ends the process", "pack/script/scripts", "a value that contains itself"],
  ["a slow script blocks the others", "pack/script/scripts", "a slow script keeps none from running beside it"],
  ["sleeping and fetching do not count as time", "pack/script/scripts", "an answer that never comes counts as time"],
  ["what is printed carries secrets to the log", "pack/script/scripts", "do not leave by value, key, print or error"],
  [
    "arguments are logged",
    "observe/log-requests",
    "names made up to forge lines, arguments and secrets do not get into it",
  ],
  ["results are no JSON", "pack/script/scripts", "is JSON to read and an object for programs"],
  [
    "the list does not say what is approved",
    "pack/script/approval",
    "is pending, approved, modified, rejected: the list says which",
  ],
  ["whole numbers become fractions", "pack/script/scripts", "whole numbers stay whole"],
  ["logins can be guessed without end", "admin/people/people", "each pause is twice the last"],
  [
    "a name that exists is told apart by time",
    "admin/people/people",
    "costs the same work for a name that exists and one that does not",
  ],
  ["logging out ends nothing", "admin/people/people", "logging out ends one, and logging out everywhere ends all"],
  ["setup is open to whoever comes first", "admin/people/people", "is made with the code of the terminal, once"],
  ["another site uses a person's session", "admin/api/api", "a form cannot send what a change needs"],
  ["a repository's name leads to another address", "pack/github/github", "owner and repo"],
  [
    "an old event without an end is listed for ever",
    "pack/calendar/calendar",
    "an event of long ago without an end is not listed",
  ],
  ["an alarm overwrites its event", "pack/calendar/read-events", "an alarm does not overwrite what its event says"],
  ["markup is mangled and characters are cut", "pack/web/web", "is cut between characters, never inside one"],
  ["a failed push is told as a success", "pack/vault/sync", "push that fails is never told as a success"],
  ["git speaks on the wire's standard output", "pack/vault/sync", "goes to standard output"],
  ["anyone can be written to", "pack/chat/chat", "none by default, all with a star"],
  ["the reviewer sees another header than the runtime", "pack/script/approval", "the header is read in one way"],
];

test.each(holes)("%s: there is a test against it", (_, file, name) => {
  expect(readFileSync(new URL(`../${file}.test.ts`, import.meta.url), "utf8")).toContain(name);
});
