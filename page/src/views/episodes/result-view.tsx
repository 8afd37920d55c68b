import type { JSX } from "preact";
import type { ResultBody } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { Json } from "../../components/json.tsx";
import { ValueView } from "./value-view.tsx";
import { ImageView, imageIn } from "./image-view.tsx";

/** A tool's result: the structured content if present, otherwise the content blocks. */
export function ResultView({ result }: { readonly result: ResultBody }): JSX.Element {
  const { content, structuredContent } = result;
  if (structuredContent !== undefined) return <ValueView value={structuredContent} label="Result" />;
  if (content.length === 0) return <p class="muted">Empty result.</p>;
  return (
    <div class="stack-tight">
      {content.slice(0, 50).map((part, at) => {
        const image = imageIn(part);
        if (image !== undefined) return <ImageView key={at} address={image} label={`Image ${at + 1}`} />;
        const { text } = part;
        return typeof text === "string" ? (
          <ValueView key={at} value={text} label={`Part ${at + 1}`} />
        ) : (
          <Json key={at} value={part} depth={2} />
        );
      })}
    </div>
  );
}
