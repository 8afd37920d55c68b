import { expect, test } from "vitest";
import { tool } from "biplane";
import { toolIndex } from "../../packages/core/src/tool/search.ts";

const read = tool({
  name: "read_text_file",
  description: "Read the whole content of a file",
  input: { type: "object", properties: { path: { type: "string", description: "Where the file lies" } } },
  run: () => "",
});
const mail = tool({ name: "sendMail", description: "Send a message to somebody", run: () => "" });
const events = tool({
  name: "calendar_list_events",
  description: "What is on the calendar",
  input: { type: "object", properties: { timezone: { enum: ["Berlin", "Tokyo"] } } },
  run: () => "",
});
const tools = [read, mail, events];
const found = (query: string, limit?: number) =>
  toolIndex(tools)
    .search(query, limit)
    .map(({ name }) => name);

test("a tool is found by words of its name, however they are written", () => {
  expect(found("read file")).toEqual(["read_text_file"]);
  expect(found("READ TEXT FILES")).toEqual(["read_text_file"]);
  expect(found("send mail")[0]).toBe("sendMail");
  expect(found("sendMail")[0]).toBe("sendMail");
});

test("a tool is found by what it says of itself, of its arguments and of their values", () => {
  expect(found("somebody")).toEqual(["sendMail"]);
  expect(found("where lies")).toEqual(["read_text_file"]);
  expect(found("timezone")).toEqual(["calendar_list_events"]);
  expect(found("tokyo")).toEqual(["calendar_list_events"]);
});

test("the exact name comes first, and the beginning of a word is enough", () => {
  const many = [...tools, tool({ name: "file", description: "Another", run: () => "" })];
  expect(toolIndex(many).search("file")[0]?.name).toBe("file");
  expect(found("calen")).toEqual(["calendar_list_events"]);
});

test("nothing is found for unknown words, no words, or a limit of 0", () => {
  expect(found("xylophone")).toEqual([]);
  expect(found("")).toEqual([]);
  expect(found("!!! ... ---")).toEqual([]);
  expect(found("file", 0)).toEqual([]);
  expect(toolIndex([]).search("file")).toEqual([]);
});

test("an index of a thousand tools is searched as often as wanted", () => {
  const thousand = Array.from({ length: 1000 }, (_, at) =>
    tool({
      name: `crm_${at}_record`,
      description: at === 700 ? "Merges duplicate customers" : "Does something",
      run: () => "",
    }),
  );
  const index = toolIndex(thousand);
  expect(index.search("merge customer", 3).map(({ name }) => name)).toEqual(["crm_700_record"]);
  expect(index.search("record", 5)).toHaveLength(5);
  expect(index.search("something ".repeat(10_000), 5)).toHaveLength(5);
});
