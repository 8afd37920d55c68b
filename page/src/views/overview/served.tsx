import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  Overview,
  EndpointInfo,
  ServerInfo,
} from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead } from "../../access.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Text } from "../../components/text.tsx";
import { count, plural } from "../../format.ts";
import { href } from "../../router.ts";

/** Each server with its tools, resources and endpoints. */
export function ServedServers({ overview }: { readonly overview: Overview }): JSX.Element {
  return (
    <section class="stack-tight">
      <h2>Servers</h2>
      <ul class="served">
        {overview.servers.map((server) => (
          <Server key={server.name} server={server} url={overview.url} />
        ))}
      </ul>
    </section>
  );
}

/** The version of servers that were given none. */
const unset = "0.0.0";

function Server({ server, url }: { readonly server: ServerInfo; readonly url: string }): JSX.Element {
  const { name, version, title, description, kind, endpoints, tools, resources, prompts, episodes } = server;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="card served-card">
      <div class="served-head">
        <div class="grow">
          <h3 class="row" title={title ?? name}>
            <Text value={title ?? name} maxLength={80} isFixed />
            {version !== unset && (
              <span class="muted small num">
                <Text value={version} maxLength={20} isFixed />
              </span>
            )}
          </h3>
          {title !== undefined && title !== name && (
            <div class="muted small mono">
              <Text value={name} maxLength={80} isFixed />
            </div>
          )}
        </div>
        {kind === "environment" && <Badge tone="info">environment</Badge>}
      </div>
      {description !== undefined && (
        <p class="served-about">
          <Text value={description} maxLength={240} />
        </p>
      )}
      <div class="served-counts">
        {mayRead("tools") ? (
          <a href={href("tools", [], { server: name })}>{plural(tools, "tool")}</a>
        ) : (
          <span>{plural(tools, "tool")}</span>
        )}
        {resources > 0 && <span class="muted">{plural(resources, "resource")}</span>}
        {prompts > 0 && <span class="muted">{plural(prompts, "prompt")}</span>}
        {episodes && (
          <a href={href("episodes", [], { server: name })} title={`At most ${count(episodes.max)} open episodes`}>
            {plural(episodes.open, "open episode")}
          </a>
        )}
      </div>
      <div class="served-foot">
        <span class="mono grow" title={`${server.base}/mcp`}>
          {server.base}/mcp
        </span>
        <CopyButton text={`${url}${server.base}/mcp`} label={`Copy the MCP URL of ${name}`} />
        <Button kind="quiet" size="small" isPressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {plural(endpoints.length, "endpoint")}
        </Button>
      </div>
      {isOpen && <Endpoints endpoints={endpoints} url={url} />}
    </li>
  );
}

function Endpoints(props: { readonly endpoints: readonly EndpointInfo[]; readonly url: string }): JSX.Element {
  return (
    <ul class="endpoints">
      {props.endpoints.map(({ plane, path, description }) => (
        <li key={path}>
          <Badge tone={planes[plane]}>{plane}</Badge>
          <div class="grow">
            <div class="mono">{path}</div>
            <div class="muted small">{description}</div>
          </div>
          <CopyButton text={props.url + path} label={`Copy ${path}`} />
        </li>
      ))}
    </ul>
  );
}

const planes: Readonly<Record<EndpointInfo["plane"], Tone>> = {
  data: "accent",
  trainer: "info",
  admin: "good",
  monitoring: "plain",
};
