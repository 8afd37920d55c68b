import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { highlightRules } from "./highlight-rules.ts";

/** A text field for YAML with line numbers. The colours are of a copy of the text below the field. */
export function RulesEditor(props: {
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly value: string;
  /** The line, from 1, with a mistake. */
  readonly wrongLine: number | undefined;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  const { label, hint, placeholder, value, wrongLine, onInput } = props;
  // Text fields turn every line end into this one.
  const text = useMemo(() => value.replaceAll(/\r\n?/g, "\n"), [value]);
  const isColoured = text.length <= maxColoured;
  const lines = useMemo(() => (isColoured ? highlightRules(text) : []), [text, isColoured]);
  const count = useMemo(() => text.split("\n").length, [text]);
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = useRef<HTMLPreElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  // Scrolling the copy instead would end too early, because it has no scroll bars.
  const follow = () => {
    if (!field.current) return;
    const { scrollLeft, scrollTop, scrollWidth, clientWidth, parentElement } = field.current;
    parentElement?.classList.toggle("rules-cut", scrollWidth - clientWidth - scrollLeft > 1);
    if (copy.current) copy.current.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    if (numbers.current) numbers.current.style.transform = `translateY(${-scrollTop}px)`;
  };
  useLayoutEffect(follow, [text]);
  useEffect(() => {
    const observer = new ResizeObserver(follow);
    if (field.current) observer.observe(field.current);
    return () => observer.disconnect();
  }, []);
  return (
    <Field label={label} isLabelHidden hint={hint}>
      {(control) => (
        <div class={`control rules-editor ${isColoured ? "rules-coloured" : ""}`}>
          <div class="rules-numbers" aria-hidden="true" style={{ width: numbersWidth(count) }}>
            <pre ref={numbers}>
              {numbersOf(1, Math.min(count, (wrongLine ?? Infinity) - 1))}
              {wrongLine !== undefined && wrongLine <= count && <div class="rules-wrong">{wrongLine}</div>}
              {wrongLine !== undefined && numbersOf(wrongLine + 1, count)}
            </pre>
          </div>
          <div class="rules-field">
            {isColoured && (
              <pre ref={copy} aria-hidden="true">
                {lines.map((tokens, at) => (
                  <div key={at} class="code-line">
                    {tokens.map((token, place) =>
                      token.kind === "plain" ? (
                        token.text
                      ) : (
                        <span key={place} class={`token-${token.kind}`}>
                          {token.text}
                        </span>
                      ),
                    )}
                  </div>
                ))}
              </pre>
            )}
            <textarea
              {...control}
              ref={field}
              rows={12}
              wrap="off"
              value={value}
              placeholder={placeholder}
              spellcheck={false}
              onInput={(event) => onInput(event.currentTarget.value)}
              onScroll={follow}
            />
          </div>
        </div>
      )}
    </Field>
  );
}

/** One text for all numbers, because rules may have thousands of lines. */
function numbersOf(from: number, to: number): string {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).join("\n");
}

/** Digits all have the width of one `ch`. */
function numbersWidth(count: number): string {
  return `calc(${Math.max(2, String(count).length)}ch + 1rem + 1px)`;
}

/** More would make typing slow. */
const maxColoured = 64 * 1024;
