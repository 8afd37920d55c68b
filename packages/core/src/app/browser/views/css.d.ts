/** The bundler inlines style sheets into the page. */
declare module "*.css";
