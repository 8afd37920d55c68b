import { browserFeatures } from "../../tool/mcp-apps.ts";
import type { AppCsp } from "../../tool/mcp-apps.ts";
import type { Permissions } from "../browser/bridge/capabilities.ts";
import type { DroppedSource } from "../browser/host/csp-grant.ts";

export interface ProxyGrant {
  /** The origin of the page that shows the app, the only one it exchanges messages with. */
  readonly host: string;
  /** True if no other app has this origin, so that the inner frame may use it too. */
  readonly hasOwnOrigin: boolean;
  readonly csp: AppCsp;
  readonly permissions: Permissions;
  readonly dropped: readonly DroppedSource[];
}

/**
 * The page between a host and an app. It shows the app in an inner frame and forwards messages in both directions. If
 * the app navigates to another page, its frame is removed and the host is notified.
 *
 * An app with `frameDomains` could navigate there before its first load event, unnoticed. So its frame first loads an
 * empty page. The app is written into that page after this page has forbidden all further framing.
 */
export function proxyPage(grant: ProxyGrant): string {
  // Escaped so that the JSON cannot end the script or start a comment.
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
  const postToHost = (message) => window.parent.postMessage(message, grant.host);
  const notify = (name, params) => postToHost({ jsonrpc: "2.0", method: prefix + name, params });
  const isSandboxMessage = (message) => typeof message.method === "string" && message.method.startsWith(prefix);

  const show = ({ html, sandbox, permissions }) => {
    const allowed = ["allow-scripts", "allow-forms"];
    if (grant.hasOwnOrigin) allowed.push("allow-same-origin");
    const tokens = typeof sandbox === "string" ? sandbox.split(" ") : ["allow-scripts", "allow-forms"];
    const features = ${JSON.stringify(browserFeatures)};
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
      if (!isSandboxMessage(data)) frame?.contentWindow?.postMessage(data, "*");
      else if (data.method === prefix + "resource-ready" && !frame && typeof data.params?.html === "string") show(data.params);
    } else if (frame && source !== null && source === frame.contentWindow && !isSandboxMessage(data)) postToHost(data);
  });

  if (window.parent !== window) notify("proxy-ready", { csp: grant.csp, permissions: grant.permissions, dropped: grant.dropped });
}`;
