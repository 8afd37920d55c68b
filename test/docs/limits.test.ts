import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonLimits } from "../../packages/core/src/bounds/parse-json.ts";
import { defaultMaxBytes } from "../../packages/core/src/bounds/message-bytes.ts";
import { claimRate } from "../../packages/core/src/environment/episode-owners.ts";
import { defaultMaxEpisodes } from "../../packages/core/src/environment/episodes.ts";
import { maxBatch } from "../../packages/core/src/protocol/parse-message.ts";
import { maxUnreadBytes, maxWaitingBytes } from "../../packages/core/src/transport/socket-channel.ts";
import { maxUnsentBytes } from "../../packages/core/src/transport/unsent-limit.ts";
import { adminBodyBytes } from "../../packages/core/src/wire/admin-endpoint.ts";
import { forwardedRequests } from "../../packages/core/src/wire/forward/episode-gate.ts";
import { eventBytes, sessionEventBytes, sessionEvents } from "../../packages/core/src/wire/mcp/event-log.ts";
import { followedStreams } from "../../packages/core/src/wire/mcp/shared-events.ts";
import { maxCapabilitiesLength } from "../../packages/core/src/wire/mcp/handshake.ts";
import {
  maxSubscriptions,
  subscriptionBytes,
  subscriptionsPerCaller,
} from "../../packages/core/src/wire/mcp/subscriptions.ts";
import { maxTraceBytes } from "../../packages/biplane/src/admin/runs/run-repository.ts";
import { nemoBodyBytes } from "../../packages/core/src/wire/nemo-gym/endpoint.ts";
import { maxKeptBytes, maxUnfinished } from "../../packages/core/src/wire/ors/runs.ts";
import { maxReservedBytes } from "../../packages/core/src/transport/fast-lane/fast-lane.ts";
import { maxEarlyRequests } from "../../packages/core/src/transport/http.ts";
import { unreadBytes } from "../../packages/core/src/wire/client-connections.ts";
import { arrivingBytes } from "../../packages/core/src/wire/request-body.ts";
import { openSockets } from "../../packages/core/src/wire/open-sockets.ts";
import { trainerFrameBytes } from "../../packages/core/src/wire/serve-http.ts";
import { defaultMaxSessions } from "../../packages/core/src/wire/server-routes.ts";
import { codeActions, codeBytes } from "../../packages/biplane/src/code/code-shares.ts";
import { maxCodeSessions, maxOwnCodeSessions } from "../../packages/biplane/src/code/contexts.ts";
import { callBounds } from "../../packages/biplane/src/code/json-bounds.ts";
import { defaultCodeLimits } from "../../packages/biplane/src/code/limits.ts";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { maxConfigLength } from "../../packages/biplane/src/config/yaml-source.ts";
import { maxShownInput } from "../../packages/biplane/src/governance/approvals/shown-input.ts";
import { maxBacklogBytes } from "../../packages/biplane/src/governance/audit/backlog.ts";
import { browserOptions } from "../../packages/biplane/src/pack/browser/options.ts";
import { calendarPlaces, fetchedAtOnce } from "../../packages/biplane/src/pack/calendar/calendar-expander.ts";
import { calendarOptions } from "../../packages/biplane/src/pack/calendar/options.ts";
import { maxLines } from "../../packages/biplane/src/pack/calendar/parse-ical.ts";
import { filesystemOptions } from "../../packages/biplane/src/pack/filesystem/options.ts";
import { gitOptions } from "../../packages/biplane/src/pack/git/options.ts";
import { memoryOptions } from "../../packages/biplane/src/pack/memory/options.ts";
import { replOptions } from "../../packages/biplane/src/pack/repl/options.ts";
import { scriptOptions } from "../../packages/biplane/src/pack/script/options.ts";
import { maxReplacements } from "../../packages/biplane/src/pack/shared/files/replace-text.ts";
import { maxSearchedBytes, maxSearchedEntries } from "../../packages/biplane/src/pack/shared/files/search-text.ts";
import { frontMatterLimits } from "../../packages/biplane/src/pack/vault/front-matter.ts";
import { maxNoteLength } from "../../packages/biplane/src/pack/vault/note.ts";
import { vaultOptions } from "../../packages/biplane/src/pack/vault/options.ts";
import { maxMarks, maxMarkupLength } from "../../packages/biplane/src/pack/web/bounded-markup.ts";
import { webOptions } from "../../packages/biplane/src/pack/web/options.ts";
import { pagePlaces } from "../../packages/biplane/src/pack/web/page-reader.ts";
import { recordingLimits as recording } from "../../packages/biplane/src/recording/session-recorder.ts";
import { workspaceOptions } from "../../packages/biplane/src/pack/workspace/options.ts";

const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");

/** The rows of all tables but the last, which sums up: the limit and its default. */
const documented = page
  .slice(0, page.indexOf("## What they add up to"))
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter(([, name = "limit"]) => name !== "limit" && !/^-+$/.test(name))
  .map(([, name = "", preset = ""]) => [name, preset]);

const count = (...values: readonly number[]) => values.map((value) => value.toLocaleString("en")).join(", ");
const mebibytes = (...values: readonly number[]) =>
  values
    .map((value) => (value % 2 ** 20 === 0 ? `${(value / 2 ** 20).toLocaleString("en")} MiB` : `${value / 1024} KiB`))
    .join(", ");
const places = ({ limits }: { limits: { perCaller: number; total: number } }) => count(limits.perCaller, limits.total);
const bytesOf = ({ limits }: { limits: { perCaller: number; total: number } }) =>
  mebibytes(limits.perCaller, limits.total);
const fifth = (total: number) => count(Math.ceil(total / 5), total);

const { limits } = resolveConfig({ environment: {} }).config;
if (limits === false || limits.perPrincipal === false) throw new Error("there are limits by default");
const { perPrincipal: rate, concurrency, held } = limits;

test("docs/limits.md lists every limit with the default that the code has", () => {
  expect(documented).toEqual([
    ["bytes of a message", mebibytes(defaultMaxBytes)],
    ["bytes of a frame on a trainer's `/ws`", mebibytes(trainerFrameBytes)],
    ["bytes of a body of NeMo Gym", mebibytes(nemoBodyBytes)],
    ["bytes of a body of the admin API", mebibytes(adminBodyBytes)],
    ["nesting of JSON", count(jsonLimits.maxDepth)],
    ["items and keys of JSON", count(jsonLimits.maxParts)],
    ["messages of a JSON-RPC batch", count(maxBatch)],
    ["characters of a client's capabilities", count(maxCapabilitiesLength)],
    ["unread answers of a WebSocket", mebibytes(maxUnreadBytes)],
    ["messages of a WebSocket that wait", mebibytes(maxWaitingBytes)],
    ["unsent bytes of any connection", mebibytes(maxUnsentBytes)],
    ["characters of `biplane.yaml`", count(maxConfigLength)],
    ["bytes of a trace that the admin API reads", mebibytes(maxTraceBytes)],

    ["WebSockets: each caller, all", places(openSockets)],
    ["bytes of arriving requests: each caller, all", bytesOf(arrivingBytes)],
    ["bytes of unread answers: each caller, all", bytesOf(unreadBytes)],
    ["requests ahead of an answer on one connection", count(maxEarlyRequests)],
    ["bytes of begun small requests, first second", mebibytes(maxReservedBytes)],
    ["MCP sessions: each caller, all", count(defaultMaxSessions / 10, defaultMaxSessions)],
    ["sessions of ORS, and of NeMo Gym", count(defaultMaxSessions)],
    ["unfinished calls of an ORS session", count(maxUnfinished)],
    ["results of ORS calls, kept for a minute", mebibytes(maxKeptBytes)],
    ["bytes of session events: each caller, all", bytesOf(eventBytes)],
    ["events of one session", `${count(sessionEvents)}, ${mebibytes(sessionEventBytes)}`],
    ["open subscriptions: each caller, all", count(subscriptionsPerCaller, maxSubscriptions)],
    ["bytes of subscriptions: each caller, all", bytesOf(subscriptionBytes)],
    ["requests sent on to other servers: each caller, all", places(forwardedRequests)],
    ["followed streams of other servers: each caller, all", places(followedStreams)],
    ["new names in a fleet per second, burst: each caller", count(claimRate.perSecond, claimRate.burst)],
    ["episodes: each agent, all", count(defaultMaxEpisodes / 10, defaultMaxEpisodes)],

    ["requests per second, burst: each caller", count(rate.perSecond, rate.burst)],
    ["calls that run: each caller", count(concurrency.perPrincipal)],
    ["calls that wait for approval: each caller, all", count(held.waitingCalls.perPrincipal, held.waitingCalls.total)],
    ["characters of an input that a person reviews", count(maxShownInput)],
    [
      "bytes recorded: line, session, each caller, file",
      mebibytes(recording.entryBytes, recording.sessionBytes, recording.fileBytes / 4, recording.fileBytes),
    ],
    ["bytes that wait to be written to the audit log", count(maxBacklogBytes)],

    ["bytes of code state: each caller, all", bytesOf(codeBytes)],
    ["actions that run or wait: each caller, all", places(codeActions)],
    ["sessions with state: each caller, all", count(maxOwnCodeSessions, maxCodeSessions)],
    ["wall-clock time of an action", `${count(defaultCodeLimits.wallMs)} ms`],
    ["CPU time of an action", `${count(defaultCodeLimits.cpuMs)} ms`],
    ["memory of an action", mebibytes(defaultCodeLimits.memoryBytes)],
    ["output of an action", `${count(defaultCodeLimits.outputBytes)} bytes`],
    ["result of an action", `${count(defaultCodeLimits.valueBytes)} bytes`],
    ["source of an action", `${count(defaultCodeLimits.sourceBytes)} bytes`],
    ["calls of an action", count(defaultCodeLimits.calls)],
    [
      "arguments of a call: bytes, values, nesting",
      `${mebibytes(callBounds.length)}, ${count(callBounds.parts, callBounds.depth)}`,
    ],
    ["workers of a language", "processors + 1"],

    [
      "workspace: bytes read by a call, of a file written",
      mebibytes(workspaceOptions.properties.maxReadBytes.default, workspaceOptions.properties.maxWriteBytes.default),
    ],
    [
      "filesystem: bytes read by a call, of a file written",
      mebibytes(filesystemOptions.properties.maxReadBytes.default, filesystemOptions.properties.maxWriteBytes.default),
    ],
    ["files and bytes of a search", `${count(maxSearchedEntries)}, ${mebibytes(maxSearchedBytes)}`],
    ["replacements of an edit", count(maxReplacements)],
    ["memory: bytes of a file", mebibytes(memoryOptions.properties.maxBytes.default)],
    ["vault: bytes of a note", mebibytes(vaultOptions.properties.maxBytes.default)],
    ["vault: characters searched for tags and links", count(maxNoteLength)],
    [
      "vault: front matter: characters, nesting, words",
      count(frontMatterLimits.maxLength, frontMatterLimits.maxDepth, frontMatterLimits.maxTokens),
    ],
    ["git: bytes of a result", count(gitOptions.properties.maxBytes.default)],
    ["web: bytes of a response", mebibytes(webOptions.properties.maxBytes.default)],
    ["web: characters and marks of a page", count(maxMarkupLength, maxMarks)],
    ["web: pages to convert: each caller, all", places(pagePlaces)],
    [
      "calendar: bytes and lines of a calendar",
      `${mebibytes(calendarOptions.properties.maxBytes.default)}, ${count(maxLines)}`,
    ],
    ["calendar: calendars to read: each caller, all", places(calendarPlaces)],
    ["calendar: calendars fetched at once", count(fetchedAtOnce)],
    ["repl: sessions of a language: each caller, all", fifth(replOptions.properties.maxSessions.default)],
    ["browser: contexts: each caller, all", fifth(browserOptions.properties.maxContexts.default)],
    ["browser: memory of a page", mebibytes(browserOptions.properties.maxPageMemoryBytes.default)],
    [
      "script: memory, source, output, result",
      `${scriptOptions.properties.maxMemoryMb.default} MiB, ${mebibytes(scriptOptions.properties.maxSourceBytes.default, scriptOptions.properties.maxOutputBytes.default, scriptOptions.properties.maxResultBytes.default)}`,
    ],
  ]);
});

test("the config's defaults are those of the code", () => {
  expect(held.codeBytes).toEqual({ perPrincipal: codeBytes.limits.perCaller, total: codeBytes.limits.total });
  expect(held.webSockets).toEqual({ perPrincipal: openSockets.limits.perCaller, total: openSockets.limits.total });
  expect(held.codeActions).toEqual({ perPrincipal: codeActions.limits.perCaller, total: codeActions.limits.total });
});

test("what all callers can keep adds up to less than half of a machine with 4 GB", () => {
  const kept = [
    codeBytes.limits.total,
    eventBytes.limits.total,
    subscriptionBytes.limits.total,
    held.waitingCalls.total * maxShownInput,
    pagePlaces.limits.total * maxMarkupLength * 2,
    fetchedAtOnce * calendarOptions.properties.maxBytes.default,
  ].reduce((sum, each) => sum + each);
  expect(kept / 1e9).toBeCloseTo(1.4, 1);
});

test("every limit that the config can set is named as the config names it", () => {
  const keys = [...page.matchAll(/`((?:limits|code|http)\.[\w.]+)`/g)].map(([, key = ""]) => key);
  const config = readFileSync(new URL("../../docs/config.md", import.meta.url), "utf8");
  expect(keys.filter((key) => !config.includes(`| \`${key}\``))).toEqual([]);
});
