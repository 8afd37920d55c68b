import { options } from "preact";

/*
 * Effects run before the next event instead of after the next frame. A menu that opens has the focus before the next key
 * comes, and what a view wants to load is asked for without waiting for a picture of the empty view.
 */
options.requestAnimationFrame = queueMicrotask;
