import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Code } from "./code.tsx";
import type { Language } from "./tokenize.ts";
import { toastProblem } from "./toast.tsx";

/** Copies text and confirms it on the button. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1600);
    } catch {
      toastProblem("The browser blocked copying. Select the text instead.");
    }
  };
  return (
    <Button
      kind="quiet"
      size="small"
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? "Copied" : label}
      onClick={() => void copy()}
    />
  );
}

/** Text to copy: a command, a config, a URL. Lines of a command wrap, because one that is cut off cannot be read. */
export function Snippet(props: {
  readonly text: string;
  readonly language?: Language;
  readonly label: string;
}): JSX.Element {
  const { text, language = "text", label } = props;
  return (
    <div class="snippet">
      <Code source={text} language={language} label={label} isWhole={language === "shell"} />
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  );
}
