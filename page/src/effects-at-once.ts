import { options } from "preact";

/*
 * Runs effects before the next event instead of after the next frame. A menu has the focus before the next key arrives,
 * and a view requests its data before the first paint.
 */
options.requestAnimationFrame = queueMicrotask;
