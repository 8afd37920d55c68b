/** Python source: tools as functions. Each call sends one message and blocks until the host answers. */
export const toolsSource = String.raw`
import inspect, os

read_line, write_line = os.read, os.write


class ToolError(Exception):
    """A tool call that failed. code says why, such as INVALID_INPUT or POLICY_DENIED."""

    def __init__(self, message="", code="EXECUTION_ERROR", tool=None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.tool = tool


ToolError.__module__ = "builtins"


def receive():
    part = read_line(0, 65536)
    if len(part) < 65536:
        return part
    parts = [part]
    while part:
        part = read_line(0, 1048576)
        parts.append(part)
    return b"".join(parts)


def call_tool(name, arguments):
    try:
        body = encode_json({"tool": name, "input": Plain(state.call_bytes, True).convert(arguments)}).encode()
    except (TooLarge, ValueError, TypeError) as error:
        reason = f"the arguments are larger than {state.call_bytes} bytes" if isinstance(error, TooLarge) else str(error)
        raise ToolError(f"Invalid arguments for {name}: {reason}", "INVALID_INPUT", name) from None
    if len(body) > state.call_bytes:
        reason = f"the arguments are larger than {state.call_bytes} bytes"
        raise ToolError(f"Invalid arguments for {name}: {reason}", "INVALID_INPUT", name)
    return ask(body, name)


def ask(body, name):
    write_line(0, b"C" + body)
    answer = decode_json(receive().decode())
    if "error" in answer:
        raise ToolError(answer["error"], answer["code"], name)
    return answer["value"]


class Symbol(str):
    """A string whose repr has no quotes."""

    __repr__ = str.__str__


OMITTED = Symbol("...")


def make_tool(spec):
    """A function with the tool's parameters as its signature."""
    name = spec["name"]
    parameters, keys, nullable = [], {}, set()
    for item in spec["parameters"]:
        default = inspect.Parameter.empty if item["required"] else item.get("default", OMITTED)
        parameters.append(
            inspect.Parameter(
                item["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=Symbol(item["annotation"])
            )
        )
        keys[item["name"]] = item["key"]
        if item["required"] or item["nullable"]:
            nullable.add(item["name"])
    if spec["open"]:
        parameters.append(inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD))
    signature = inspect.Signature(parameters, return_annotation=Symbol(spec["returns"]))

    def tool(*positional, **named):
        if takes_all_at_once(positional, named):
            return call_tool(name, positional[0])
        try:
            bound = signature.bind(*positional, **rename(named))
        except TypeError as error:
            raise TypeError(f"{tool.__name__}() {error}. Signature: {tool.__name__}{signature}") from None
        given = dict(bound.arguments)
        extra = given.pop("arguments", {}) if spec["open"] else {}
        # None means "omitted" for an optional argument that cannot be null.
        kept = {keys[key]: value for key, value in given.items() if value is not None or key in nullable}
        return call_tool(name, {**kept, **extra})

    def takes_all_at_once(positional, named):
        # Also accept tool({"path": "a"}), unless the first parameter can be an object itself.
        if named or len(positional) != 1 or type(positional[0]) is not dict:
            return False
        return not any(item["object"] for item in spec["parameters"][:1]) and positional[0].keys() <= set(keys.values())

    def rename(named):
        # Also accept the schema's own names: tool(**{"max-items": 3}).
        return {aliases.get(key, key): value for key, value in named.items()} if aliases else named

    aliases = {key: parameter for parameter, key in keys.items() if key != parameter}
    tool.__name__ = tool.__qualname__ = spec["alias"]
    tool.__module__ = "tools"
    tool.__doc__ = spec["doc"]
    tool.__signature__ = signature
    tool.__annotations__ = {item["name"]: item["annotation"] for item in spec["parameters"]}
    return tool


class Tools(dict):
    """All tools by name, for names that are not identifiers: tools["get-page"](url="…")."""

    def __missing__(self, name):
        raise ToolError(f"There is no tool {name!r}. List the tools with list_tools().", "TOOL_NOT_FOUND", str(name))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        for spec in state.specs:
            if spec["alias"] == name:
                return self[spec["name"]]
        return self[name]


def list_tools():
    """The names of all tools."""
    return [spec["name"] for spec in state.specs]


def search_tools(query, limit=10):
    """Tools that match a query, best first, with name and description."""
    return ask(encode_json({"search": str(query), "limit": int(limit)}).encode(), "search_tools")


def get_tool_schema(name):
    """A tool's description and the JSON Schemas of its input and output."""
    name = getattr(name, "__name__", name)
    for spec in state.specs:
        if name in (spec["name"], spec["alias"]):
            schema = {"name": spec["name"], "description": spec["description"], "input_schema": spec["input"]}
            if spec["output"] is not None:
                schema["output_schema"] = spec["output"]
            return decode_json(encode_json(schema))
    raise ToolError(f"There is no tool {name!r}. List the tools with list_tools().", "TOOL_NOT_FOUND", str(name))


def help(subject=None):
    """Prints the documentation of an object."""
    if getattr(subject, "__module__", None) == "tools" and callable(subject):
        print(f"{subject.__name__}{inspect.signature(subject)}\n{subject.__doc__ or ''}".rstrip())
    else:
        import pydoc

        print(pydoc.render_doc(subject, renderer=pydoc.plaintext))


for helper in (list_tools, search_tools, get_tool_schema, Tools):
    helper.__module__ = "tools"
`;
