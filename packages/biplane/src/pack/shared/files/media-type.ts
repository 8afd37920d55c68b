/** The media type for a file name's extension. */
export function mediaTypeOf(name: string): string {
  const end = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(mediaTypes, end) ? (mediaTypes[end] ?? unknownType) : unknownType;
}

const unknownType = "application/octet-stream";
const mediaTypes: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  flac: "audio/flac",
  m4a: "audio/mp4",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  json: "application/json",
  html: "text/html",
  css: "text/css",
  csv: "text/csv",
  md: "text/markdown",
  txt: "text/plain",
};
