/** Python source: runs one action in the persistent namespace and builds its answer. */
export const actionsSource = String.raw`
import ast, asyncio, gc, linecache, textwrap, traceback, types

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def parse(source, name):
    try:
        return source, ast.parse(source, name)
    except SyntaxError as error:
        for repaired in repairs(source, error):
            try:
                return repaired, ast.parse(repaired, name)
            except SyntaxError:
                pass
        raise


def repairs(source, error):
    """Fixes common mistakes of models: indented code, and line breaks inside strings where \n was meant."""
    yield textwrap.dedent(source)
    lines = source.split("\n")
    for _ in range(20):
        if not (error.msg or "").startswith("unterminated string") or not 0 < (error.lineno or 0) < len(lines):
            return
        lines[error.lineno - 1 : error.lineno + 1] = ["\\n".join(lines[error.lineno - 1 : error.lineno + 1])]
        yield "\n".join(lines)
        try:
            ast.parse("\n".join(lines))
        except SyntaxError as next_error:
            error = next_error


def own_nodes(tree):
    """The nodes of the action itself, without those inside functions and classes."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


class AwaitAnything(ast.NodeTransformer):
    def visit_Await(self, node):
        self.generic_visit(node)
        wrapped = ast.Call(ast.Name("__awaitable__", ast.Load()), [node.value], [])
        node.value = ast.copy_location(wrapped, node.value)
        return node


def awaitable(value):
    return value if hasattr(value, "__await__") or inspect.isawaitable(value) else finished(value)


async def finished(value):
    return value


class ReturnAtTop(ast.NodeTransformer):
    """Removes annotations, because an annotated name cannot be global."""

    def visit_AnnAssign(self, node):
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node) if node.simple else node

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef


def compile_action(tree, name):
    """Compiles an action to a function that takes the namespace and returns the action's value."""
    if any(isinstance(node, ast.Await) for node in ast.walk(tree)):
        tree = ast.fix_missing_locations(AwaitAnything().visit(tree))
    if any(isinstance(node, ast.Return) for node in own_nodes(tree)):
        return compile_returning(tree, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    codes = [(compile(tree, name, "exec", TOP_LEVEL_AWAIT, True), False)] if tree.body else []
    if last:
        codes.append((compile(ast.Expression(last.value), name, "eval", TOP_LEVEL_AWAIT, True), True))

    def act(namespace):
        value = None
        for code, gives in codes:
            value = eval(code, namespace)
            if code.co_flags & inspect.CO_COROUTINE:
                value = drive(value)
            value = value if gives else None
        return value

    return act


def compile_returning(tree, name):
    """Compiles an action with a top-level return as a function whose names are all global."""
    tree = ReturnAtTop().visit(tree)
    if isinstance(tree.body[-1], ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Return(tree.body[-1].value), tree.body[-1])
    waits = any(
        isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) or getattr(node, "is_async", 0)
        for node in own_nodes(tree)
    )
    kind = ast.AsyncFunctionDef if waits else ast.FunctionDef
    nothing = ast.arguments([], [], None, [], [], None, [])

    def build(names):
        body = ([ast.Global(names)] if names else []) + tree.body
        function = kind("__action__", nothing, body, [], None, None, [])
        module = compile(ast.fix_missing_locations(ast.Module([function], [])), name, "exec", 0, True)
        return next(item for item in module.co_consts if isinstance(item, types.CodeType))

    code = build([])
    bound = [each for each in code.co_varnames + code.co_cellvars if each.isidentifier()]
    declared = {each for node in own_nodes(tree) if isinstance(node, ast.Global) for each in node.names}
    code = build([each for each in dict.fromkeys(bound) if each not in declared])
    code = code.replace(co_name="<module>", co_qualname="<module>")

    def act(namespace):
        value = types.FunctionType(code, namespace)()
        return drive(value) if waits else value

    return act


class Loop(asyncio.BaseEventLoop):
    """An event loop with timers only. There is no I/O to wait for."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("all tasks are waiting and none of them can continue")
        if timeout > 0:
            time.sleep(timeout)
        return []

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class LoopPolicy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = Loop


asyncio.set_event_loop_policy(LoopPolicy())


def accepting(function):
    """Lets gather() accept plain values, because tools return values and not awaitables."""

    def wrapper(*awaitables, **options):
        return function(*(awaitable(item) for item in awaitables), **options)

    wrapper.__name__ = function.__name__
    return wrapper


asyncio.gather = asyncio.tasks.gather = accepting(asyncio.gather)
create_task, wait_for = asyncio.create_task, asyncio.wait_for
asyncio.create_task = lambda value, **options: create_task(awaitable(value), **options)
asyncio.wait_for = lambda value, timeout: wait_for(awaitable(value), timeout)


def drive(coroutine):
    with asyncio.Runner() as runner:
        return runner.run(coroutine)


def act(source):
    state.count += 1
    name = f"<action {state.count}>"
    try:
        source, tree = parse(source, name)
        remember(name, source)
        action = compile_action(tree, name)
    except (SyntaxError, ValueError, OverflowError) as error:
        return {"error": describe(error, "syntax")}
    except (RecursionError, MemoryError) as error:
        message = "The code is nested too deeply, or too large for its memory."
        return {"error": {"kind": "limit", "name": type(error).__name__, "message": message}}
    try:
        value = action(state.namespace)
        return {} if value is None else finish(*encode_value(value, state.value_bytes))
    except SystemExit as error:
        # exit() without a code ends a script successfully.
        return {} if error.code in (None, 0) else {"error": describe(error, "thrown")}
    except MemoryError:
        return {"error": out_of_memory()}
    except RecursionError as error:
        return {"error": describe(error, "limit")}
    except BaseException as error:
        return {"error": describe(error, "thrown")}


def finish(text, is_cut):
    return {"value": text, "cut": is_cut}


def remember(name, source):
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    linecache.cache.pop(f"<action {state.count - 200}>", None)


def out_of_memory():
    return {"kind": "limit", "name": "MemoryError", "message": "The code exceeded its memory limit."}


def describe(error, kind):
    summary = traceback.TracebackException.from_exception(error, limit=-50, compact=True)
    only_guest_frames(summary, 0)
    message = summary_message(summary, error)
    described = {"kind": kind, "name": type(error).__name__[:200], "message": message[:10000]}
    trace = "".join(summary.format())
    described["trace"] = trace if len(trace) <= 16000 else trace[:8000] + "\n…\n" + trace[-8000:]
    if isinstance(error, ToolError) and isinstance(getattr(error, "code", None), str):
        described["code"] = error.code[:200]
    return described


def only_guest_frames(summary, depth):
    summary.stack[:] = [frame for frame in summary.stack if frame.filename.startswith("<action")]
    for inner in (summary.__cause__, summary.__context__, *(summary.exceptions or ())):
        if inner is not None and depth < 20:
            only_guest_frames(inner, depth + 1)


def summary_message(summary, error):
    if isinstance(error, SyntaxError):
        where = f" ({error.filename}, line {error.lineno})" if error.lineno else ""
        return f"{error.msg}{where}"
    text = "".join(summary.format_exception_only()).rstrip("\n")
    head = f"{type(error).__qualname__}"
    for prefix in (head, f"__main__.{head}", f"{type(error).__module__}.{head}"):
        if text == prefix:
            return ""
        if text.startswith(prefix + ": "):
            return text[len(prefix) + 2 :]
    return text
`;
