/** Python source: converts results and arguments to JSON. */
export const valuesSource = String.raw`
import base64, collections.abc, dataclasses, datetime, decimal, enum, fractions, json, itertools, math, pathlib, uuid

LARGEST_EXACT = 2**53 - 1
DEEPEST = 100
encode_json = json.JSONEncoder(ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":")).encode
decode_json = json.JSONDecoder().decode


class TooLarge(Exception):
    pass


def encode_value(value, most):
    """Encodes a result as JSON of at most most bytes. Also returns whether it was truncated."""
    if isinstance(value, collections.abc.Iterator):
        value = list(itertools.islice(value, most))
    budget = most
    while True:
        plain = Plain(budget, False)
        text = encode_json(plain.convert(value))
        if len(text) <= most or budget < 2:
            return text, plain.is_cut
        budget //= 2


class Plain:
    """Converts one value. Strict mode rejects values that JSON cannot represent exactly."""

    def __init__(self, budget, strict):
        self.left = budget
        self.strict = strict
        self.is_cut = False
        self.inside = set()

    def convert(self, value, depth=0):
        self.spend(2)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return self.spend_text(value)
        if kind is int:
            return self.whole(value)
        if kind is float:
            return self.real(value)
        if isinstance(value, enum.Enum):
            return self.convert(value.value, depth + 1)
        if isinstance(value, str):
            return self.spend_text(str.__str__(value))
        if isinstance(value, int):
            return self.whole(int(value))
        if isinstance(value, float):
            return self.real(float(value))
        text = self.text(value)
        if text is not None:
            return self.spend_text(text)
        if isinstance(value, datetime.timedelta):
            return value.total_seconds()
        return self.container(value, depth)

    def container(self, value, depth):
        if depth >= DEEPEST:
            raise ValueError(f"the value is nested more than {DEEPEST} levels deep")
        number = id(value)
        if number in self.inside:
            raise ValueError("the value contains itself, so it cannot be encoded as JSON")
        self.inside.add(number)
        try:
            if dataclasses.is_dataclass(value) and not isinstance(value, type):
                value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            elif isinstance(value, tuple) and hasattr(value, "_asdict"):
                value = value._asdict()
            if isinstance(value, collections.abc.Mapping):
                return self.pairs(value, depth)
            if isinstance(value, (set, frozenset)):
                value = in_order(value)
            if isinstance(value, (collections.abc.Collection, collections.abc.Iterator)) and not isinstance(value, type):
                return self.items(value, depth)
            return self.other(value)
        finally:
            self.inside.discard(number)

    def pairs(self, value, depth):
        result = {}
        for key, item in value.items():
            if self.left <= 0:
                self.is_cut = True
                break
            result[self.key(key)] = self.convert(item, depth + 1)
        return result

    def items(self, value, depth):
        result = []
        for item in value:
            if self.left <= 0:
                self.is_cut = True
                break
            result.append(self.convert(item, depth + 1))
        return result

    def spend(self, amount):
        self.left -= amount
        if self.left < 0 and self.strict:
            raise TooLarge()

    def spend_text(self, text):
        room = max(self.left, 0)
        self.spend(len(text))
        if len(text) <= room:
            return text
        self.is_cut = True
        return text[:room] + "… [the result was truncated]"

    def whole(self, value):
        self.spend(value.bit_length() >> 2)
        if -LARGEST_EXACT <= value <= LARGEST_EXACT or is_written_alike(value):
            return value
        if self.strict:
            raise ValueError("integers beyond 2**53 lose precision; pass it as a string")
        if value.bit_length() > 14000:
            return f"<integer of {value.bit_length()} bits>"
        return str(value)

    def real(self, value):
        self.spend(12)
        if math.isfinite(value):
            return value
        if self.strict:
            raise ValueError(f"{value} cannot be encoded as JSON")
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"

    def text(self, value):
        if isinstance(value, (decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath)):
            return str(value)
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (bytes, bytearray, memoryview)):
            data = bytes(value)
            try:
                return data.decode()
            except UnicodeDecodeError:
                return base64.b64encode(data).decode()
        return None

    def key(self, key):
        if type(key) is str:
            self.spend(len(key))
            return key
        if isinstance(key, enum.Enum):
            key = key.value
        if key is None or isinstance(key, bool):
            return encode_json(key)
        key = key if isinstance(key, (str, int, float)) else self.text(key) or repr(key)
        key = str(key)
        self.spend(len(key))
        return key

    def other(self, value):
        if self.strict:
            raise TypeError(f"{type(value).__name__} cannot be encoded as JSON")
        try:
            text = repr(value)
        except Exception:
            text = f"<{type(value).__name__}>"
        text = text if len(text) <= 2000 else text[:2000] + "…"
        return self.spend_text(text)


def is_written_alike(value):
    """True if a large integer survives conversion to a double."""
    try:
        return abs(value) < 10**21 and int(decimal.Decimal(repr(float(value)))) == value
    except OverflowError:
        return False


def in_order(values):
    try:
        return sorted(values)
    except TypeError:
        return values
`;
