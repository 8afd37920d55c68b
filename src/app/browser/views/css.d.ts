/** The bundler puts style sheets into the page. */
declare module "*.css";
