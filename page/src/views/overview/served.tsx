import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Overview, ShownDoor, ShownServer } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { count, plural } from "../../format.ts";
import { href } from "../../router.ts";

/** Each server with what it has and where its doors are. */
export function ServedThings({ overview }: { readonly overview: Overview }): JSX.Element {
  return (
    <section class="stack-tight">
      <h2>Served here</h2>
      <ul class="served">
        {overview.servers.map((server) => (
          <Server key={server.name} server={server} url={overview.url} />
        ))}
      </ul>
    </section>
  );
}

function Server({ server, url }: { readonly server: ShownServer; readonly url: string }): JSX.Element {
  const { name, version, title, description, kind, doors, tools, resources, prompts, episodes } = server;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="card served-card">
      <div class="served-head">
        <span class="served-icon">
          <Icon name={kind === "environment" ? "episodes" : "tools"} />
        </span>
        <div class="grow">
          <h3 class="row">
            <Text value={title ?? name} most={80} isFixed />
            <span class="muted small num">
              <Text value={version} most={20} isFixed />
            </span>
          </h3>
          {title !== undefined && title !== name && (
            <div class="muted small mono">
              <Text value={name} most={80} isFixed />
            </div>
          )}
        </div>
        <Badge tone={kind === "environment" ? "info" : "accent"}>{kind}</Badge>
      </div>
      {description !== undefined && (
        <p class="served-about">
          <Text value={description} most={240} />
        </p>
      )}
      <div class="served-counts">
        <a href={href("tools", [], { server: name })}>{plural(tools, "tool")}</a>
        {resources > 0 && <span>{plural(resources, "resource")}</span>}
        {prompts > 0 && <span>{plural(prompts, "prompt")}</span>}
        {episodes && (
          <a href={href("episodes", [], { server: name })} title={`At most ${count(episodes.most)} at once`}>
            {plural(episodes.open, "open episode")}
          </a>
        )}
      </div>
      <div class="served-foot">
        <span class="mono grow ellipsis">{server.base}/mcp</span>
        <CopyButton text={`${url}${server.base}/mcp`} label={`Copy the MCP address of ${name}`} />
        <Button kind="quiet" size="small" icon="door" isPressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {plural(doors.length, "address", "addresses")}
        </Button>
      </div>
      {isOpen && <Doors doors={doors} url={url} />}
    </li>
  );
}

function Doors({ doors, url }: { readonly doors: readonly ShownDoor[]; readonly url: string }): JSX.Element {
  return (
    <ul class="doors">
      {doors.map(({ plane, path, what }) => (
        <li key={path}>
          <Badge tone={planes[plane]}>{plane}</Badge>
          <div class="grow">
            <div class="mono">{path}</div>
            <div class="muted small">{what}</div>
          </div>
          <CopyButton text={url + path} label={`Copy ${path}`} />
        </li>
      ))}
    </ul>
  );
}

const planes: Readonly<Record<ShownDoor["plane"], Tone>> = {
  data: "accent",
  trainer: "info",
  people: "good",
  watch: "plain",
};
