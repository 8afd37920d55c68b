import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ResourceBody } from "../../../packages/biplane/src/admin/overview/overview-api.ts";
import { callApi } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Code } from "../components/code.tsx";
import { Json } from "../components/json.tsx";
import { Problem } from "../components/states.tsx";
import { Text } from "../components/text.tsx";
import { bytes } from "../format.ts";
import { useMutation } from "../resource.ts";
import { SaveButton, AudioPlayer, isBase64 } from "./data.tsx";

interface BlocksProps {
  /** MCP content blocks. */
  readonly blocks: readonly Block[];
  /** The server that can read linked resources. */
  readonly server?: string | undefined;
  readonly episode?: string | undefined;
}

type Block = Readonly<Record<string, unknown>>;

/** Renders content blocks by type: text, image, audio, resource, link. Unknown types are shown as JSON. */
export function Blocks(props: BlocksProps): JSX.Element {
  const { blocks } = props;
  if (blocks.length === 0) return <p class="muted">No content.</p>;
  return (
    <div class="stack-tight blocks">
      {blocks.slice(0, maxBlocks).map((block, at) => (
        <BlockView key={at} {...props} block={block} />
      ))}
      {blocks.length > maxBlocks && <p class="muted">{blocks.length - maxBlocks} more blocks are not shown.</p>}
    </div>
  );
}

const maxBlocks = 200;

function BlockView(props: BlocksProps & { readonly block: Block }): JSX.Element {
  const { block } = props;
  switch (block["type"]) {
    case "text":
      if (typeof block["text"] === "string")
        return <Text value={block["text"]} isBlock isMono={needsMonospace(block["text"])} />;
      break;
    case "image":
      return <ImageBlock block={block} />;
    case "audio":
      return <AudioPlayer data={asText(block["data"])} mimeType={asText(block["mimeType"])} />;
    case "resource":
      if (typeof block["resource"] === "object" && block["resource"] !== null)
        return <Content content={block["resource"] as Block} />;
      break;
    case "resource_link":
      return <Link {...props} />;
  }
  return <Json value={block} depth={1} />;
}

/** Hostile content may hold any value where text belongs. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** JSON and ASCII art need a monospace font. */
function needsMonospace(text: string): boolean {
  return /^\s*[[{]/.test(text) || (text.includes("\n") && !/[a-z]{3,} [a-z]{2,} /i.test(text));
}

function ImageBlock({ block }: { readonly block: Block }): JSX.Element {
  const { data, mimeType } = block;
  const isShown = isBase64(data) && /^image\/(png|jpeg|gif|webp)$/.test(asText(mimeType));
  if (!isShown) return <Unshown what="Image" mimeType={mimeType} data={data} />;
  return <img class="block-picture" src={`data:${asText(mimeType)};base64,${data}`} alt="From the tool's result" />;
}

/** An embedded resource, or a linked one that was read. */
function Content({ content }: { readonly content: Block }): JSX.Element {
  const { uri, mimeType, text, blob } = content;
  return (
    <div class="block-resource">
      <div class="row small">
        <Text value={asText(uri)} isMono />
        {typeof mimeType === "string" && <Text value={mimeType} class="muted" />}
      </div>
      {typeof text === "string" ? (
        <Code
          source={text}
          language={/json/.test(asText(mimeType)) ? "json" : "text"}
          label={`Resource ${asText(uri).slice(0, 100)}`}
          maxLines={60}
        />
      ) : asText(mimeType).startsWith("image/") ? (
        <ImageBlock block={{ data: blob, mimeType }} />
      ) : (
        <Unshown what="Binary data" mimeType={mimeType} data={blob} />
      )}
    </div>
  );
}

function Unshown(props: { readonly what: string; readonly mimeType: unknown; readonly data: unknown }): JSX.Element {
  const { what, mimeType, data } = props;
  const length = typeof data === "string" ? data.length : 0;
  return (
    <div class="row">
      <span class="muted">
        {what} (<Text value={asText(mimeType ?? "unknown type")} maxLength={80} isFixed />,{" "}
        {bytes(Math.floor(length * 0.75))})
      </span>
      {isBase64(data) && <SaveButton data={data} />}
    </div>
  );
}

function Link({ block, server, episode }: BlocksProps & { readonly block: Block }): JSX.Element {
  const uri = asText(block["uri"]);
  const [contents, setContents] = useState<ResourceBody["contents"]>();
  const read = useMutation((_: void, signal) =>
    callApi("GET /api/resource", { query: { server, uri, episode }, signal }),
  );
  return (
    <div class="block-resource stack-tight">
      <div class="row">
        <span class="grow">
          <Text value={asText(block["title"] ?? block["name"] ?? "Link")} /> <Text value={uri} isMono class="muted" />
        </span>
        {server !== undefined && !contents && (
          <Button
            size="small"
            isBusy={read.isBusy}
            onClick={() => void read.run().then((found) => found && setContents(found.contents))}
          >
            Read resource
          </Button>
        )}
      </div>
      {typeof block["description"] === "string" && (
        <p class="muted small">
          <Text value={block["description"]} />
        </p>
      )}
      {read.error !== undefined && <Problem error={read.error} />}
      {contents?.map((content, at) => (
        <Content key={at} content={content} />
      ))}
    </div>
  );
}
