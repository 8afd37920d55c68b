import fc from "fast-check";
import { oneOf } from "./literals.ts";

// Calls with numbered holes for their arguments.

export const stringMethod = oneOf(`
  capitalize()  count({0})  elems()  elem_ords()  codepoints()  codepoint_ords()  endswith({0})  find({0})
  find({0}, {1})  format({0}, {1})  index({0})  isalnum()  isalpha()  isdigit()  islower()  isspace()  istitle()
  isupper()  join({0})  lower()  lstrip()  lstrip({0})  partition({0})  replace({0}, {1})  replace({0}, {1}, {2})
  rfind({0})  rindex({0})  rpartition({0})  rsplit({0})  rsplit({0}, {1})  rsplit()  rstrip()  split()  split({0})
  split({0}, {1})  splitlines()  splitlines({0})  startswith({0})  strip()  strip({0})  title()  upper()
  removeprefix({0})  removesuffix({0})  count({0}, {1}, {2})  rfind({0}, {1}, {2})  startswith({0}, {1})
`);

export const collectionMethod = oneOf(`
  append({0})  clear()  extend({0})  index({0})  insert({0}, {1})  pop()  pop({0})  remove({0})  get({0})
  get({0}, {1})  items()  keys()  popitem()  setdefault({0})  setdefault({0}, {1})  update({0})  values()
  pop({0}, {1})  add({0})  discard({0})  difference({0})  intersection({0})  issubset({0})  issuperset({0})
  symmetric_difference({0})  union({0})  union({0}, {1})  update(k={0})
`);

export const builtin = oneOf(`
  abs({0})  all({0})  any({0})  bool({0})  bytes({0})  chr({0})  dict({0})  dict({0}, k={1})  dir({0})
  enumerate({0})  enumerate({0}, {1})  float({0})  getattr({0}, {1}, {2})  hasattr({0}, {1})  hash({0})  int({0})
  int({0}, {1})  len({0})  list({0})  max({0})  max({0}, {1})  min({0}, {1}, {2})  max({0}, key=len)  ord({0})
  range({0})  range({0}, {1})  range({0}, {1}, {2})  repr({0})  reversed({0})  set({0})  sorted({0})
  sorted({0}, reverse=True)  sorted({0}, key=str)  str({0})  tuple({0})  type({0})  zip({0}, {1})  zip({0})
  fail({0})  min({0})  list(zip(range(3), {0}))
`);

export const callArguments = fc.oneof(
  fc.constant(""),
  oneOf(`
  {0}  {0}, {1}  {0}, {1}, {2}  {0}, q={1}  *{0}  **{0}  p={0}  {0}, p={1}  *{0}, **{1}  p={0}, q={1}  {0}, *{1}
  q={0}, **{1}
`),
);
