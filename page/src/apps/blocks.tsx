import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ShownResource } from "../../../src/desk/contract.ts";
import { ask } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Code } from "../components/code.tsx";
import { Json } from "../components/json.tsx";
import { Problem } from "../components/states.tsx";
import { Text } from "../components/text.tsx";
import { bytes } from "../format.ts";
import { usePost } from "../resource.ts";
import { SaveButton, Sound, isBase64 } from "./data.tsx";

interface BlocksProps {
  /** Content as MCP writes it. */
  readonly blocks: readonly Block[];
  /** Whose resources they are: then what is linked can be read. */
  readonly server?: string | undefined;
  readonly episode?: string | undefined;
}

type Block = Readonly<Record<string, unknown>>;

/** Parts of a result, each as what it is: text, picture, sound, link, resource. What is none of these is shown as data. */
export function Blocks(props: BlocksProps): JSX.Element {
  const { blocks } = props;
  if (blocks.length === 0) return <p class="muted">Nothing was said.</p>;
  return (
    <div class="stack-tight blocks">
      {blocks.slice(0, mostBlocks).map((block, at) => (
        <One key={at} {...props} block={block} />
      ))}
      {blocks.length > mostBlocks && <p class="muted">{blocks.length - mostBlocks} more are not shown.</p>}
    </div>
  );
}

const mostBlocks = 200;

function One(props: BlocksProps & { readonly block: Block }): JSX.Element {
  const { block } = props;
  switch (block["type"]) {
    case "text":
      if (typeof block["text"] === "string")
        return <Text value={block["text"]} isBlock isMono={isDrawn(block["text"])} />;
      break;
    case "image":
      return <Picture block={block} />;
    case "audio":
      return <Sound data={said(block["data"])} mimeType={said(block["mimeType"])} />;
    case "resource":
      if (typeof block["resource"] === "object" && block["resource"] !== null)
        return <Content content={block["resource"] as Block} />;
      break;
    case "resource_link":
      return <Link {...props} />;
  }
  return <Json value={block} depth={1} />;
}

/** A part that should be text, whatever it is. */
function said(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** JSON, and what is drawn with characters, needs letters of one width. */
function isDrawn(text: string): boolean {
  return /^\s*[[{]/.test(text) || (text.includes("\n") && !/[a-z]{3,} [a-z]{2,} /i.test(text));
}

function Picture({ block }: { readonly block: Block }): JSX.Element {
  const { data, mimeType } = block;
  const isShown = isBase64(data) && /^image\/(png|jpeg|gif|webp)$/.test(said(mimeType));
  if (!isShown) return <Unshown what="A picture" mimeType={mimeType} data={data} />;
  return <img class="block-picture" src={`data:${said(mimeType)};base64,${data}`} alt="What the tool answered" />;
}

/** A resource that came with the result, or that was read. */
function Content({ content }: { readonly content: Block }): JSX.Element {
  const { uri, mimeType, text, blob } = content;
  return (
    <div class="block-resource">
      <div class="row small">
        <Text value={said(uri)} isMono />
        {typeof mimeType === "string" && (
          <span class="muted">
            <Text value={mimeType} />
          </span>
        )}
      </div>
      {typeof text === "string" ? (
        <Code
          source={text}
          language={/json/.test(said(mimeType)) ? "json" : "text"}
          label={`Resource ${said(uri).slice(0, 100)}`}
          mostLines={60}
        />
      ) : said(mimeType).startsWith("image/") ? (
        <Picture block={{ data: blob, mimeType }} />
      ) : (
        <Unshown what="Data" mimeType={mimeType} data={blob} />
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
        {what} of type <Text value={said(mimeType ?? "unknown")} most={80} isFixed />,{" "}
        {bytes(Math.floor(length * 0.75))}
      </span>
      {isBase64(data) && <SaveButton data={data} />}
    </div>
  );
}

function Link({ block, server, episode }: BlocksProps & { readonly block: Block }): JSX.Element {
  const uri = said(block["uri"]);
  const [contents, setContents] = useState<ShownResource["contents"]>();
  const read = usePost((_: void, signal) =>
    ask<ShownResource>("GET /api/resource", { query: { server, uri, episode }, signal }),
  );
  return (
    <div class="block-resource stack-tight">
      <div class="row">
        <span class="grow">
          <Text value={said(block["title"] ?? block["name"] ?? "Link")} />{" "}
          <span class="muted">
            <Text value={uri} isMono />
          </span>
        </span>
        {server !== undefined && !contents && (
          <Button
            size="small"
            isBusy={read.isBusy}
            onClick={() => void read.run().then((found) => found && setContents(found.contents))}
          >
            Read it
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
