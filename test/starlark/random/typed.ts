import fc from "fast-check";
import { int, oneOf, string } from "./literals.ts";

/** Expressions of a known type, which therefore mostly succeed. */
export const typed = fc.letrec<
  Record<"int" | "number" | "bool" | "string" | "list" | "ints" | "dict" | "set" | "tuple" | "any", string>
>((tie) => {
  const holes: Record<string, fc.Arbitrary<string>> = {
    I: tie("int"),
    N: tie("number"),
    B: tie("bool"),
    S: tie("string"),
    L: tie("list"),
    Z: tie("ints"),
    D: tie("dict"),
    E: tie("set"),
    T: tie("tuple"),
    A: tie("any"),
    K: fc.constantFrom("1", "2", '"x"', '"b"', "None", "(1, 2)", "1.0", "True"),
    W: fc.integer({ min: -4, max: 5 }).map(String),
  };
  /** A template with a capital letter in brackets for each hole. */
  const templates = (choices: string): fc.Arbitrary<string> => {
    return oneOf(choices).chain((template) => {
      const letters = Array.from(template.matchAll(/<([A-Z])>/g), ([, letter = ""]) => letter);
      return fc.tuple(...letters.map((letter) => holes[letter] ?? fc.constant("0"))).map((values) => {
        let next = 0;
        return template.replaceAll(/<[A-Z]>/g, () => values[next++] ?? "0");
      });
    });
  };
  const type = (leaf: fc.Arbitrary<string>, choices: string): fc.Arbitrary<string> => {
    const options = { maxDepth: 3, depthIdentifier: "typed" };
    return fc.oneof(options, { weight: 3, arbitrary: leaf }, { weight: 4, arbitrary: templates(choices) });
  };
  return {
    int: type(
      int,
      `
        (<I> + <I>)  (<I> - <I>)  (<I> * <I>)  (<I> // 7)  (<I> % 5)  (<I> % -3)  (<I> // -2)  -<I>  ~<I>
        (<I> & <I>)  (<I> | <I>)  (<I> ^ <I>)  (<I> << 3)  (<I> >> 2)  len(<S>)  len(<L>)  len(<D>)  abs(<I>)
        <S>.find(<S>)  <S>.rfind(<S>)  <S>.count(<S>)  max(<I>, <I>)  min(<Z> + [1])  int(<N>)  hash(<S>)
        ord(<S>[:1] or 'q')  (<I> if <B> else <I>)  int(str(<I>))  <Z>.index(1) if 1 in <Z> else 0
        [<I>, <I>, <I>][<I> % 3]  int('%x' % <I>, 16)
      `,
    ),
    number: type(
      fc.oneof(int, fc.constantFrom("0.5", "2.0", "-1.25", "1e10", "1e-3", "123456.75")),
      `
        (<N> + <N>)  (<N> - <N>)  (<N> * 0.5)  (<I> / 4)  (<N> // 2.0)  (<N> % 3.5)  -<N>  float(<I>)  abs(<N>)
      `,
    ),
    bool: type(
      fc.constantFrom("True", "False", "t"),
      `
        (<I> < <I>)  (<N> >= <N>)  (<S> == <S>)  (<S> < <S>)  not <A>  (<A> and <B>)  (<B> or <B>)  (<A> == <A>)
        (<A> != <A>)  (<K> in <D>)  (<K> not in <E>)  (<S> in <S>)  (<A> in <L>)  (<T> <= <T>) if False else t
        (<Z> < <Z>)  <S>.startswith(<S>)  <S>.endswith((<S>, <S>))  <S>.isalpha()  <S>.istitle()  <S>.isupper()
        bool(<A>)  all(<L>)  any(<L>)  (<E> <= <E>)  <E>.issubset(<E>)
      `,
    ),
    string: type(
      fc.oneof(string, fc.constant("c")),
      `
        (<S> + <S>)  (<S> * <W>)  <S>.upper()  <S>.title()  <S>.strip()  <S>.replace(<S>, <S>)
        <S>.replace(<S>, <S>, 1)  <S>[<W>:]  <S>[:<W>]  <S>[::-1]  <S>[::2]  str(<A>)  repr(<A>)
        ('%s|%r' % (<A>, <A>))  ('%d %x' % (<I>, <I>))  ('%e %f %g' % (<N>, <N>, <N>))  type(<A>)
        '{} {!r}'.format(<A>, <A>)  '{1}-{0}'.format(<S>, <I>)  '{k}'.format(k=<A>)  ','.join([str(x) for x in <L>])
        <S>.join(<S>.split())  <S>.capitalize()  <S>.lower()  <S>.partition('l')[2]  <S>.rpartition(' ')[0]
        <S>.removeprefix(<S>)  chr(<I> % 500)  <S>.lstrip('aeh')
      `,
    ),
    list: type(
      fc.constantFrom("b", "[]", "list(r)", "[1, 'a', None]"),
      `
        [<A>, <A>]  (<L> + <L>)  (<L> * <W>)  <L>[<W>:<W>]  <L>[::-1]  sorted(<Z>)  sorted(<Z>, reverse=True)
        reversed(<L>)  <S>.split(',')  <S>.split()  <S>.rsplit(' ', 1)  <S>.splitlines()  list(<S>.elems())
        list(<S>.codepoints())  list(<S>.elem_ords())  <D>.keys()  <D>.values()  <D>.items()  [x for x in <L> if x]
        [(x, y) for x in <L> for y in <Z>]  zip(<L>, <Z>)  enumerate(<L>)  enumerate(<L>, <W>)  list(<E>)  list(<D>)
        list(<T>)  <Z>  [str(x) + <S> for x in <L>]  sorted([str(x) for x in <L>], key=len)  dir(<A>)[:3]
        (lambda *x: list(x))(*<L>)
      `,
    ),
    ints: type(
      fc.constantFrom("[3, 1, 2]", "list(range(4))", "[]", "list(r)"),
      `
        [<I>, <I>]  [x * 2 for x in <Z>]  (<Z> + <Z>)  [len(str(x)) for x in <L>]  <Z>[<W>:]  list(range(<W>, <W>))
        list(range(5, <W>, -1))
      `,
    ),
    dict: type(
      fc.constantFrom("d", "{}", '{"a": 1}'),
      `
        {<S>: <A>}  {<I>: <A>}  (<D> | <D>)  dict(<D>)  dict(k=<A>, j=<A>)  {x: <A> for x in <Z>}
        dict(zip(<Z>, <L>))  dict([(1, <A>)], z=<A>)
      `,
    ),
    set: type(
      fc.constantFrom("s", "set()", "set([1, 2, 3])"),
      `
        set(<Z>)  (<E> | <E>)  (<E> & <E>)  (<E> - <E>)  (<E> ^ <E>)  <E>.union(<Z>)  <E>.difference(<Z>)  set(<D>)
        set([<K>, <K>])
      `,
    ),
    tuple: type(
      fc.constantFrom("e", "()", "(1,)"),
      `
        (<A>, <A>)  (<T> + <T>)  (<T> * <W>)  tuple(<L>)  <T>[<W>:]  <S>.partition('l')
        <D>.popitem() if False else (1, 2)  (lambda x, y=<A>: (x, y))(<A>)
      `,
    ),
    any: fc.oneof(
      tie("int"),
      tie("number"),
      tie("bool"),
      tie("string"),
      tie("list"),
      tie("dict"),
      tie("set"),
      tie("tuple"),
      fc.constantFrom("None", "len", "b'ab'", "h", "range(3)", '"é".elems()'),
    ),
  };
});
