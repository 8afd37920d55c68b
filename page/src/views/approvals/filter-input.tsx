import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Input } from "../../components/field.tsx";

/** A server-side filter, applied once typing stops. */
export function FilterInput(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const { label, value, onChange } = props;
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Input
      label={label}
      isLabelHidden
      placeholder={label}
      value={text}
      onInput={(next) => {
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(next.trim()), 350);
      }}
    />
  );
}
