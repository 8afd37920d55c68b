import { secretMargin } from "../shared/shorten-text.ts";

/** Maximum characters of an element's texts, which the host cuts: secrets are replaced before, and found only as a whole. */
export const maxFieldLength = 2000;
export const maxChoiceLength = 80;

/**
 * Runs in an isolated world: it sees the page's elements, but the page cannot see or change it. A form can shadow
 * properties with fields of the same name, so properties are read from the prototypes.
 */
export const readerScript = String.raw`globalThis.biplane ??= (() => {
  const limits = { nodes: 200000, characters: 1000000, elements: 3000, field: ${maxFieldLength + secretMargin} };
  const numbers = new WeakMap();
  const marked = new Map();
  let next = 1;

  const of = (prototype, key) => (node) => Reflect.get(prototype, key, node);
  const childNodes = of(Node.prototype, "childNodes");
  const parentNode = of(Node.prototype, "parentNode");
  const nodeType = of(Node.prototype, "nodeType");
  const data = of(CharacterData.prototype, "data");
  const textContent = of(Node.prototype, "textContent");
  const isConnected = of(Node.prototype, "isConnected");
  const localName = of(Element.prototype, "localName");
  const shadowRoot = of(Element.prototype, "shadowRoot");
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  const closest = (element, selector) => Element.prototype.closest.call(element, selector);
  const isHtml = (element) => element instanceof HTMLElement;
  const line = (text, length = limits.field) => String(text ?? "").slice(0, length).replace(/\s+/g, " ").trim();
  const choiceOf = (option) => {
    const label = line(option.label);
    return label.length > ${maxChoiceLength} ? label.slice(0, ${maxChoiceLength}).replace(/[\ud800-\udbff]$/, "") + "…" : label;
  };

  const isShown = (element) => {
    if (getComputedStyle(element).display === "contents") return true;
    return Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  };

  const childrenOf = (element) => {
    if (element instanceof HTMLSlotElement) {
      const assigned = HTMLSlotElement.prototype.assignedNodes.call(element);
      if (assigned.length > 0) return assigned;
    }
    return childNodes(shadowRoot(element) ?? element);
  };

  const kindOf = (element) => {
    if (!isHtml(element)) return undefined;
    const role = attribute(element, "role");
    switch (localName(element)) {
      case "a":
      case "area":
        if (attribute(element, "href") !== null) return "link";
        break;
      case "button":
      case "summary":
        return "button";
      case "textarea":
        return "field";
      case "select":
        return "choice";
      case "input": {
        const type = element.type;
        if (type === "hidden") return undefined;
        if (type === "checkbox" || type === "radio" || type === "file") return type;
        return ["button", "submit", "reset", "image"].includes(type) ? "button" : "field";
      }
    }
    if (role === "textbox" || role === "searchbox" || element.isContentEditable === true) return "field";
    if (/^(button|link|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role)) {
      return role;
    }
    return attribute(element, "onclick") === null ? undefined : "button";
  };

  const nameOf = (element, kind) => {
    const labelled = (attribute(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean).slice(0, 5);
    const given = [
      attribute(element, "aria-label"),
      labelled.map((id) => document.getElementById(id)).map((found) => (found ? textContent(found) : "")).join(" "),
      kind === "field" || kind === "choice" || localName(element) === "input"
        ? [...(element.labels ?? [])].slice(0, 3).map((label) => textContent(label)).join(" ")
        : visibleText(element),
      attribute(element, "placeholder"),
      kind === "button" ? attribute(element, "value") : "",
      attribute(element, "alt"),
      attribute(element, "title"),
      attribute(element, "name"),
    ];
    return given.map((text) => line(text)).find((text) => text !== "") ?? "";
  };

  const visibleText = (element) => {
    let text = "";
    const visit = (node, depth) => {
      if (text.length > 2000 || depth > 50) return;
      if (nodeType(node) === 3) text += data(node);
      if (nodeType(node) !== 1 || ignoredTags.has(localName(node)) || !isShown(node)) return;
      if (localName(node) === "img") text += " " + (attribute(node, "alt") ?? "") + " ";
      for (const child of childrenOf(node)) visit(child, depth + 1);
      if (blockTags.has(localName(node))) text += " ";
    };
    for (const child of childrenOf(element)) visit(child, 0);
    return text;
  };

  const describe = (element, kind) => {
    let number = numbers.get(element);
    if (number === undefined) {
      number = next++;
      numbers.set(element, number);
      marked.set(number, new WeakRef(element));
    }
    const about = { element: number, kind, name: nameOf(element, kind) };
    if (kind === "link" && isHtml(element) && element.href) about.url = String(element.href).slice(0, limits.field);
    if (kind === "field" && element.type !== "password" && typeof element.value === "string") {
      about.value = line(element.value);
    }
    if (kind === "choice") {
      about.value = line(element.selectedOptions[0]?.label);
      about.choices = [...element.options].slice(0, 50).map((option) => line(option.label));
    }
    if (kind === "checkbox" || kind === "radio") {
      about.checked = element.checked === true || attribute(element, "aria-checked") === "true";
    }
    if (element.disabled === true || attribute(element, "aria-disabled") === "true") about.disabled = true;
    return about;
  };

  const ignoredTags = new Set(["script", "style", "noscript", "template", "head", "svg", "canvas", "object", "embed", "video", "audio"]);
  const blockTags = new Set("address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul".split(" "));

  const read = () => {
    let out = "";
    let visited = 0;
    let isWhole = true;
    let count = 0;
    let fieldCharacters = 0;
    const inserts = [];
    // One character stands for it, until the host has cut its texts.
    const insert = (about) => {
      for (const text of Object.values(about).flat()) if (typeof text === "string") fieldCharacters += text.length;
      inserts.push({ ...about, at: out.length });
      out += "]";
    };
    const note = (kind, text) => {
      write(" ");
      insert({ kind, name: line(text) });
      write(" ");
    };
    const newline = (count) => {
      out = out.replace(/[ \t]+$/, "");
      if (out === "") return;
      const have = /\n*$/.exec(out.slice(-2))[0].length;
      out += "\n".repeat(Math.max(0, count - have));
    };
    const write = (text) => {
      const collapsed = text.replace(/\s+/g, " ");
      out += /\s$/.test(out) || out === "" ? collapsed.trimStart() : collapsed;
    };
    const visit = (node, depth, isPlain) => {
      const isFull = out.length + fieldCharacters > limits.characters;
      if (++visited > limits.nodes || isFull || depth > 500) return void (isWhole = false);
      if (nodeType(node) === 3) return isPlain ? void (out += data(node)) : write(data(node));
      if (nodeType(node) !== 1) return;
      const tag = localName(node);
      if (ignoredTags.has(tag) || !isShown(node)) return;
      const kind = kindOf(node);
      if (kind !== undefined) {
        if (count >= limits.elements) return void (isWhole = false);
        const about = describe(node, kind);
        if (about.name !== "" || kind !== "link") {
          if (out !== "" && !/\s$/.test(out)) out += " ";
          insert(about);
          count++;
        }
        return;
      }
      const isBlock = blockTags.has(tag);
      if (isBlock) newline(/^(p|h[1-6]|table|pre|blockquote|ul|ol)$/.test(tag) && closest(node, "li") === null ? 2 : 1);
      if (/^h[1-6]$/.test(tag)) out += "#".repeat(Number(tag[1])) + " ";
      if (tag === "li") out += "- ";
      if (tag === "br") newline(1);
      if (tag === "hr") out += "---";
      if (tag === "img" && attribute(node, "alt")) note("image", attribute(node, "alt"));
      if (tag === "iframe") note("frame", attribute(node, "title") || attribute(node, "src"));
      if (tag === "td" || tag === "th") out += out.endsWith("\n") || out === "" ? "" : " | ";
      for (const child of childrenOf(node)) visit(child, depth + 1, isPlain || tag === "pre");
      if (isBlock) newline(/^(p|h[1-6]|table|pre|blockquote|ul|ol)$/.test(tag) && closest(node, "li") === null ? 2 : 1);
    };
    if (document.body) visit(document.body, 0, false);
    else if (document.documentElement) {
      const text = String(textContent(document.documentElement));
      isWhole = text.length <= limits.characters;
      // Whole words, because half a secret would not be found.
      out = line(isWhole ? text : text.slice(0, limits.characters).replace(/\S*$/, ""), limits.characters);
    }
    return { title: line(document.title), content: out.trimEnd(), inserts, isWhole };
  };

  const find = (number) => {
    const element = marked.get(number)?.deref();
    return element && isConnected(element) ? element : undefined;
  };

  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let inner = hit; inner; ) {
      const root = shadowRoot(inner);
      inner = root ? root.elementFromPoint(x, y) : null;
      if (inner === hit) break;
      hit = inner ?? hit;
    }
    return hit;
  };

  const isWithin = (node, ancestor) => {
    for (let at = node; at; at = parentNode(at) ?? at.host) if (at === ancestor) return true;
    return false;
  };

  const locate = (number) => {
    const element = find(number);
    if (!element) return { fault: "missing" };
    if (element.disabled === true) return { fault: "disabled" };
    Element.prototype.scrollIntoView.call(element, { block: "center", inline: "center", behavior: "instant" });
    const boxes = [...Element.prototype.getClientRects.call(element)].filter((box) => box.width > 0 && box.height > 0);
    for (const box of boxes.slice(0, 20)) {
      const x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2;
      const y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2;
      const hit = hitAt(x, y);
      if (!hit) continue;
      if (isWithin(hit, element) || closest(hit, "label")?.control === element) return { x, y };
    }
    return { fault: boxes.length === 0 ? "hidden" : "covered" };
  };

  const prepare = (number, text) => {
    const element = find(number);
    if (!element) return { fault: "missing" };
    if (element.disabled === true || element.readOnly === true) return { fault: "disabled" };
    const kind = kindOf(element);
    if (kind === "choice") {
      const wanted = [...element.options].find((option) => choiceOf(option) === text || option.value === text);
      if (!wanted) return { fault: "no such choice" };
      element.value = wanted.value;
      return changed(element);
    }
    if (kind !== "field") return { fault: "no field" };
    HTMLElement.prototype.focus.call(element);
    if (/^(date|time|month|week|datetime-local|color|range)$/.test(element.type)) {
      element.value = text;
      return element.value === text ? changed(element) : { fault: "misfit" };
    }
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.select();
    else getSelection().selectAllChildren(element);
    return { type: true };
  };

  const changed = (element) => {
    for (const name of ["input", "change"]) element.dispatchEvent(new Event(name, { bubbles: true }));
    return {};
  };

  return { read, locate, prepare };
})();`;

/** Runs in the page's main world before its scripts. Links and forms that would open a new window use this one. */
export const inPlaceScript = String.raw`(() => {
  const open = window.open;
  window.open = (url) => open.call(window, url ?? "about:blank", "_top");
  const opensWindow = (target) => target && !/^_(self|top|parent)$/i.test(target);
  addEventListener("click", (event) => {
    for (const node of event.composedPath()) {
      if (node.localName !== "a" && node.localName !== "area") continue;
      if (opensWindow(node.target || document.querySelector("base[target]")?.target)) node.target = "_top";
    }
  }, true);
  addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (opensWindow(form.getAttribute("target"))) form.setAttribute("target", "_top");
    if (opensWindow(submitter?.getAttribute("formtarget"))) submitter.setAttribute("formtarget", "_top");
  }, true);
})();`;
