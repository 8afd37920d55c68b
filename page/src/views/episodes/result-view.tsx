import type { JSX } from "preact";
import type { ShownResult } from "../../../../src/desk/contract.ts";
import { Json } from "../../components/json.tsx";
import { Seen } from "./seen.tsx";
import { Picture, pictureIn } from "./picture.tsx";

/** A tool's result: its structured part where it has one, else its content part by part. */
export function ResultView({ result }: { readonly result: ShownResult }): JSX.Element {
  const { content, structuredContent } = result;
  if (structuredContent !== undefined) return <Seen value={structuredContent} label="Result" />;
  if (content.length === 0) return <p class="muted">An empty result.</p>;
  return (
    <div class="stack-tight">
      {content.slice(0, 50).map((part, at) => {
        const picture = pictureIn(part);
        if (picture !== undefined) return <Picture key={at} address={picture} label={`Picture ${at + 1}`} />;
        const { text } = part;
        return typeof text === "string" ? (
          <Seen key={at} value={text} label={`Part ${at + 1}`} />
        ) : (
          <Json key={at} value={part} depth={2} />
        );
      })}
    </div>
  );
}
