/** The media types of files, by the extension of their name. */

const TYPES: Record<string, string> = {
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  cjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  topojson: 'application/json',
  jsonl: 'application/jsonl',
  ndjson: 'application/x-ndjson',
  geojson: 'application/geo+json',
  jsonld: 'application/ld+json',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  xsl: 'application/xml',
  xhtml: 'application/xhtml+xml',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  vtt: 'text/vtt',
  srt: 'text/plain',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  glsl: 'text/plain',
  vert: 'text/plain',
  frag: 'text/plain',
  wgsl: 'text/plain',
  ts: 'text/plain',
  tsx: 'text/plain',
  jsx: 'text/plain',
  svg: 'image/svg+xml',
  // Compressed by its author; sent with that encoding.
  svgz: 'image/svg+xml',
  png: 'image/png',
  apng: 'image/apng',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  ico: 'image/x-icon',
  cur: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  ttc: 'font/collection',
  eot: 'application/vnd.ms-fontobject',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  flac: 'audio/flac',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  weba: 'audio/webm',
  mid: 'audio/midi',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  ogv: 'video/ogg',
  webm: 'video/webm',
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
  zip: 'application/zip',
  gz: 'application/gzip',
  tar: 'application/x-tar',
  wasm: 'application/wasm',
  gltf: 'model/gltf+json',
  glb: 'model/gltf-binary',
  obj: 'model/obj',
  stl: 'model/stl',
  usdz: 'model/vnd.usdz+zip',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

const TEXT = /^text\/|[/+](json|jsonl|x-ndjson|xml|javascript|yaml|toml)$/;

/** The media type of a file, with the encoding of text. Nothing but the extension of its name decides it. */
export function fileType(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
  const type = (Object.hasOwn(TYPES, extension) && TYPES[extension]) || 'application/octet-stream';
  return TEXT.test(type) && !isCompressed(path) ? `${type}; charset=utf-8` : type;
}

/** Whether the bytes of a file are compressed and its type is that of what is inside. */
export function isCompressed(path: string): boolean {
  return /\.svgz$/i.test(path);
}

/** Whether a media type is text: its bytes are UTF-8, and compressing them is worth it. */
export function isTextType(type: string): boolean {
  return type.endsWith('; charset=utf-8');
}
