import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Input } from "../../components/field.tsx";
import { setQuery } from "../../router.ts";
import { shownText } from "./shown-text.ts";

/** A server-side filter that matches whole names, applied once typing stops. It suggests the names that were loaded. */
export function FilterInput(props: {
  readonly label: string;
  /** Its name in the address. */
  readonly name: string;
  readonly value: string;
  /** The names in the loaded items. */
  readonly names: readonly string[];
}): JSX.Element {
  const { label, name, value, names } = props;
  const [text, setText] = useState(value);
  // Also those that the filter hides now. Names with invisible characters are not suggested: they may look like others.
  const known = useRef(new Set<string>()).current;
  for (const each of names) if (shownText(each) === each) known.add(each);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Input
      label={label}
      isLabelHidden
      placeholder={`${label} name`}
      suggestions={[...known].toSorted()}
      value={text}
      onInput={(next) => {
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setQuery({ [name]: next.trim() }), 350);
      }}
    />
  );
}
