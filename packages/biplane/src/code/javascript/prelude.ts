/**
 * Runs once in every context before the agent's code. It keeps references to the built-ins it uses, so that code which
 * replaces them cannot affect it. It passes only strings to the host.
 */
export const prelude = String.raw`(function (hostCall, hostPrint, hostDone, hostMeta, toolsText) {
"use strict";
const { parse, stringify } = JSON;
const { defineProperty, hasOwn, keys, getPrototypeOf, prototype: plain } = Object;
const { isArray, from } = Array;
const NativePromise = Promise;
const NativeError = Error;
const NativeMap = Map;
const NativeSet = Set;
const NativeDate = Date;
const NativeRegExp = RegExp;
const resolved = NativePromise.resolve.bind(NativePromise);
const rejected = NativePromise.reject.bind(NativePromise);
const uncurry = (method) => Function.prototype.call.bind(method);
const slice = uncurry(String.prototype.slice);
const charAt = uncurry(String.prototype.charAt);
const join = uncurry(Array.prototype.join);
const includes = uncurry(Array.prototype.includes);
const printed = uncurry(NativeRegExp.prototype.toString);
const isoText = uncurry(NativeDate.prototype.toISOString);
const pending = { __proto__: null };

// A stack frame hands out the function that runs in it, which may be one of these.
NativeError.prepareStackTrace = (error, frames) => frames;
delete getPrototypeOf(new NativeError().stack[0]).getFunction;
NativeError.prepareStackTrace = undefined;

class ToolError extends NativeError {
  constructor({ code, message, details }) {
    super(message);
    this.code = code;
    if (details !== undefined) this.details = details;
  }
}
defineProperty(ToolError.prototype, "name", { value: "ToolError", configurable: true, writable: true });

const isPlain = (value) => {
  if (typeof value !== "object" || value === null || isArray(value)) return false;
  const kind = getPrototypeOf(value);
  return kind === plain || kind === null;
};

const namesOnly = (value, names) => {
  const given = keys(value);
  for (let at = 0; at < given.length; at++) if (!includes(names, given[at])) return false;
  return true;
};

const inputOf = (tool, args) => {
  const { names, first } = tool;
  const last = args.length - 1;
  if (last < 0) return {};
  if (last === 0 && isPlain(args[0]) && (first !== "object" || namesOnly(args[0], names))) return args[0];
  const hasRest = last > 0 && isPlain(args[last]) && namesOnly(args[last], names);
  const input = { __proto__: null };
  const count = hasRest ? last : last + 1;
  if (count > names.length) {
    const message = tool.name + " takes at most " + names.length + " arguments, but got " + count + ".";
    throw new ToolError({ code: "INVALID_INPUT", message });
  }
  for (let at = 0; at < count; at++) if (args[at] !== undefined) input[names[at]] = args[at];
  if (hasRest) {
    const rest = keys(args[last]);
    for (let at = 0; at < rest.length; at++) input[rest[at]] = args[last][rest[at]];
  }
  return input;
};

const valueOf = (text) => (text === "" ? undefined : parse(text));

const callTool = (tool, args) => {
  let reply;
  try {
    const text = stringify(inputOf(tool, args));
    reply = hostCall(tool.name, text === undefined ? "{}" : text);
  } catch (error) {
    return rejected(error);
  }
  const text = slice(reply, 1);
  switch (charAt(reply, 0)) {
    case "=":
      return resolved(valueOf(text));
    case "!":
      return rejected(new ToolError(parse(text)));
    default:
      return new NativePromise((resolve, reject) => {
        pending[text] = { resolve, reject };
      });
  }
};

const settle = (id, reply) => {
  const waiting = pending[id];
  delete pending[id];
  if (waiting === undefined) return;
  const text = slice(reply, 1);
  if (charAt(reply, 0) === "=") waiting.resolve(valueOf(text));
  else waiting.reject(new ToolError(parse(text)));
};

const show = (value, depth) => {
  switch (typeof value) {
    case "string":
      return depth === 0 ? value : stringify(value);
    case "bigint":
      return value + "n";
    case "function":
      return "[Function: " + (value.name || "anonymous") + "]";
    case "object":
      return value === null ? "null" : showObject(value, depth);
    default:
      return String(value);
  }
};

const showObject = (value, depth) => {
  if (value instanceof NativeError) return value.name + ": " + value.message;
  if (value instanceof NativeDate) return isoText(value);
  if (value instanceof NativeRegExp) return printed(value);
  if (value instanceof NativePromise) return "Promise {}";
  if (depth > 4) return isArray(value) ? "[...]" : "{...}";
  const parts = [];
  const put = (text) => void (parts[parts.length] = text);
  if (isArray(value)) {
    for (let at = 0; at < value.length && at < 1000; at++) put(show(value[at], depth + 1));
    if (value.length > 1000) put("... " + (value.length - 1000) + " more");
    return "[" + join(parts, ", ") + "]";
  }
  if (value instanceof NativeSet) return "Set " + showObject(from(value), depth);
  if (value instanceof NativeMap) return "Map " + showObject(from(value), depth);
  const names = keys(value);
  for (let at = 0; at < names.length && at < 1000; at++) put(names[at] + ": " + show(value[names[at]], depth + 1));
  if (names.length > 1000) put("... " + (names.length - 1000) + " more");
  return parts.length === 0 ? "{}" : "{ " + join(parts, ", ") + " }";
};

const attempt = (make, otherwise) => {
  try {
    return make();
  } catch {
    return otherwise;
  }
};

const print = (stream) => (...values) => {
  const parts = [];
  for (let at = 0; at < values.length; at++) {
    parts[at] = attempt(() => show(values[at], 0), "[value that cannot be printed]");
  }
  hostPrint(stream, slice(join(parts, " "), 0, 1048576) + "\n");
};

const asData = function (key, value) {
  if (typeof value === "bigint") return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value + "";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof NativeMap || value instanceof NativeSet) return from(value);
  if (value instanceof NativeError) return { name: value.name, message: value.message, code: value.code };
  return value;
};

const encode = (value) => {
  if (value === undefined) return "";
  const text = attempt(() => stringify(value, asData), undefined);
  return typeof text === "string" ? text : stringify(attempt(() => show(value, 1), "[value that cannot be printed]"));
};

const describe = (error) => {
  const read = (name) => {
    const text = attempt(() => (isObject(error) ? error[name] : undefined), undefined);
    return typeof text === "string" ? slice(text, 0, 8192) : undefined;
  };
  const message = read("message");
  return stringify({
    name: read("name") ?? "Error",
    message: message ?? slice(attempt(() => show(error, 0), "a value that cannot be printed was thrown"), 0, 8192),
    code: read("code"),
    trace: read("stack"),
  });
};

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

const watch = async (promise, valueBytes) => {
  try {
    const { value } = await promise;
    const text = encode(await value);
    hostDone(text.length > valueBytes ? "~" + slice(text, 0, valueBytes) : "=" + text);
  } catch (error) {
    hostDone("!" + describe(error));
  }
};

const define = (target, name, value) =>
  defineProperty(target, name, { value, configurable: true, writable: true, enumerable: target !== globalThis });

const tools = {};
const described = parse(toolsText);
for (let at = 0; at < described.length; at++) {
  const tool = described[at];
  const call = { [tool.alias]: (...args) => callTool(tool, args) }[tool.alias];
  define(tools, tool.name, call);
  if (!hasOwn(globalThis, tool.alias)) define(globalThis, tool.alias, call);
}
const printOut = print("out");
const printError = print("error");
define(globalThis, "console", {
  log: printOut, info: printOut, debug: printOut, table: printOut, dir: printOut, warn: printError, error: printError, trace: printError,
});
define(globalThis, "print", printOut);
define(globalThis, "tools", tools);
define(globalThis, "ToolError", ToolError);
define(globalThis, "list_tools", () => parse(hostMeta("list", "")));
define(globalThis, "search_tools", (query, limit) => parse(hostMeta("search", stringify([query + "", limit]))));
define(globalThis, "get_tool_schema", (name) => {
  const found = parse(hostMeta("schema", name + ""));
  if (found === null) throw new ToolError({ code: "TOOL_NOT_FOUND", message: "Unknown tool: " + name + ". List the tools with list_tools()." });
  return found;
});
return [settle, watch];
})`;
