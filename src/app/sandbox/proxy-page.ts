import type { Csp, Permissions } from "../browser/bridge/capabilities.ts";
import type { DroppedSource } from "../browser/host/csp-grant.ts";

export interface ProxyGrant {
  /** The origin of the page that shows it, the only one it listens to and speaks to. */
  readonly host: string;
  /** Whether no other app has this origin, so that the frame inside may have it too. */
  readonly hasOwnOrigin: boolean;
  readonly csp: Csp;
  readonly permissions: Permissions;
  readonly dropped: readonly DroppedSource[];
}

/**
 * The page between a host and an app. It holds the app in a frame of its own and passes messages on, both ways; it asks
 * nothing itself. An app that goes to another page is no longer the app: its frame is removed and the host is told. What
 * an app may frame it could also go to, before it has loaded and unnoticed: so the frame gets an empty page first, and the
 * app is written into that one when this page itself may frame nothing more.
 */
export function proxyPage(grant: ProxyGrant): string {
  // JSON in a script: what could end the script, or start a comment in it, is written another way.
  const json = JSON.stringify(grant).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>App</title>
<style>html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; display: block; overflow: hidden; background: transparent }</style>
</head>
<body>
<script>(${script})(${json})</script>
</body>
</html>
`;
}

const script = `(grant) => {
  "use strict";
  const prefix = "ui/notifications/sandbox-";
  let frame;
  const tellHost = (message) => window.parent.postMessage(message, grant.host);
  const notify = (name, params) => tellHost({ jsonrpc: "2.0", method: prefix + name, params });
  const isOurs = (message) => typeof message.method === "string" && message.method.startsWith(prefix);

  const show = ({ html, sandbox, permissions }) => {
    const allowed = ["allow-scripts", "allow-forms"];
    if (grant.hasOwnOrigin) allowed.push("allow-same-origin");
    const tokens = typeof sandbox === "string" ? sandbox.split(" ") : ["allow-scripts", "allow-forms"];
    const features = { camera: "camera", microphone: "microphone", geolocation: "geolocation", clipboardWrite: "clipboard-write" };
    const granted = Object.keys(features).filter((name) => grant.permissions[name] && (!permissions || permissions[name]));
    frame = document.createElement("iframe");
    frame.setAttribute("sandbox", allowed.filter((token) => tokens.includes(token)).join(" "));
    frame.setAttribute("allow", granted.map((name) => features[name]).join("; "));
    frame.setAttribute("title", "App");
    const isWritten = Boolean(grant.csp.frameDomains);
    let loads = 0;
    frame.addEventListener("load", () => {
      loads++;
      if (isWritten && loads === 1) return write(html);
      if (loads === (isWritten ? 2 : 1)) return;
      frame.remove();
      notify("view-left", {});
    });
    frame.srcdoc = isWritten ? empty : html;
    document.body.append(frame);
  };

  const empty = "<script>addEventListener('message', ({ source, data }) => { if (source !== parent || typeof data !== 'string') return; document.open(); document.write(data); document.close(); })<" + "/script>";
  const write = (html) => {
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = "frame-src 'none'";
    document.head.append(policy);
    frame.contentWindow.postMessage(html, "*");
  };

  window.addEventListener("message", ({ source, origin, data }) => {
    if (typeof data !== "object" || data === null) return;
    if (source === window.parent && origin === grant.host) {
      if (!isOurs(data)) frame?.contentWindow?.postMessage(data, "*");
      else if (data.method === prefix + "resource-ready" && !frame && typeof data.params?.html === "string") show(data.params);
    } else if (frame && source !== null && source === frame.contentWindow && !isOurs(data)) tellHost(data);
  });

  if (window.parent !== window) notify("proxy-ready", { csp: grant.csp, permissions: grant.permissions, dropped: grant.dropped });
}`;
