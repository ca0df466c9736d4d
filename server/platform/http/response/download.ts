/** Files that anyone can have written: they are downloaded, never shown. */

/** The media type that the sender gives, without parameters; the general one if it is not valid. */
export function parseContentType(given: string | undefined): string {
  const [essence = ''] = (given ?? '').split(';');
  const type = essence.trim().toLowerCase();
  return /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,120}$/.test(type) ? type : 'application/octet-stream';
}

export function downloadHeaders(file: { name: string; content_type: string; size: number }) {
  return {
    'content-type': file.content_type,
    'content-length': String(file.size),
    'content-disposition': attachment(file.name),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  };
}

/** Names as in RFC 6266: one in ASCII for old programs, and the real one. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
