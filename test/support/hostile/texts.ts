/** Texts and bodies that are known to slow servers down: long, wide, deep, repeated, broken. */

/** About `length` characters each, for a field, a parameter or a header. */
export const TEXTS: Record<string, (length: number) => string> = {
  letters: (length) => 'a'.repeat(length),
  spaces: (length) => `x${' '.repeat(length)}x`,
  hyphens: (length) => `${'-'.repeat(length)}x`,
  commas: (length) => 'a,'.repeat(length / 2),
  quotes: (length) => `${'"'.repeat(length)}x`,
  brackets: (length) => '[('.repeat(length / 2),
  tags: (length) => '<a '.repeat(length / 3),
  addresses: (length) => `a@${'a.'.repeat(length / 2)}`,
  pairs: (length) => 'a=b; '.repeat(length / 5),
  accents: (length) => 'e\u0301'.repeat(length / 2),
  digits: (length) => '9'.repeat(length),
};

const filled = (start: string, piece: string, end: string, bytes: number) => {
  const body = Buffer.alloc(bytes, piece);
  // Complete pieces only, so that valid texts stay valid.
  const at = Math.floor((bytes - start.length - end.length) / piece.length) * piece.length;
  return Buffer.concat([Buffer.from(start), body.subarray(0, at), Buffer.from(end)]);
};

/** JSON bodies of about this many bytes. */
export const JSON_BODIES: Record<string, (bytes: number) => Uint8Array> = {
  'deep arrays': (bytes) => filled('', '[', '', bytes),
  'deep objects': (bytes) => filled('', '{"a":', '', bytes),
  'wide arrays': (bytes) => filled('[', '[],', '[]]', bytes),
  'wide objects': (bytes) => filled('[', '{},', '{}]', bytes),
  'arrays 60 deep, side by side': (bytes) => filled('[', `${'['.repeat(60)}${']'.repeat(60)},`, '[]]', bytes),
  'many fields': (bytes) => manyFields(Math.min(bytes, 4 * 1024 * 1024)),
  'one field many times': (bytes) => filled('{', '"a":1,', '"a":1}', bytes),
  'one long name': (bytes) => filled('{"', 'a', '":1}', bytes),
  'long numbers': (bytes) => filled('[', '12345678901234567000,', '1]', bytes),
  'one long number': (bytes) => filled('', '1', '', bytes),
  'one small number, long': (bytes) => filled('0.', '0', '1', bytes),
  'a text of escapes': (bytes) => filled('"', '\\u0061', '"', bytes),
  'a text of quotes': (bytes) => filled('"', '\\"', '"', bytes),
  'many texts': (bytes) => filled('[', '"a",', '"a"]', bytes),
  spaces: (bytes) => filled('', ' ', '1', bytes),
  'not UTF-8': (bytes) => Buffer.alloc(bytes, 0xff),
  'cut off': (bytes) => filled('{"a":"', 'a', '', bytes),
};

function manyFields(bytes: number): Uint8Array {
  const names = Array.from({ length: Math.floor(bytes / 12) }, (_, i) => `"${i.toString(36)}":1`);
  return Buffer.from(`{${names.join(',')}}`);
}

/** Form bodies. */
export const FORM_BODIES: Record<string, (bytes: number) => Uint8Array> = {
  'many fields': (bytes) =>
    Buffer.from(Array.from({ length: Math.floor(bytes / 9) }, (_, i) => `f${i}=1`).join('&')).subarray(
      0,
      bytes,
    ),
  'one field many times': (bytes) => filled('', 'scopes=x&', 'scopes=x', bytes),
  'one long field': (bytes) => filled('username=', 'a', '', bytes),
  'one long name': (bytes) => filled('', 'a', '=1', bytes),
  'nothing between': (bytes) => filled('', '&', '', bytes),
  'broken escapes': (bytes) => filled('username=', '%', '', bytes),
  spaces: (bytes) => filled('username=', '+', 'x', bytes),
  'not UTF-8': (bytes) => filled('username=', '%ff', '', bytes),
};

export const BOUNDARY = 'b';

/** Multipart bodies. */
export const MULTIPART_BODIES: Record<string, (bytes: number) => Uint8Array> = {
  'many parts': (bytes) => filled('', '--b\r\n\r\n\r\n', '--b--', bytes),
  'one part without end': (bytes) => filled('--b\r\n', 'a', '', bytes),
  'half boundaries': (bytes) => filled('--b\r\n', '\r\n--', '', bytes),
  'a long head': (bytes) =>
    filled('--b\r\nContent-Disposition: form-data', '; ', '\r\n\r\nx\r\n--b--', bytes),
  'a long name': (bytes) =>
    filled(
      '--b\r\nContent-Disposition: form-data; name="',
      'a\\',
      '"\r\n\r\nx\r\n--b--',
      Math.min(bytes, 8_000),
    ),
  'a file': (bytes) =>
    filled(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
      'a',
      '\r\n--b--',
      bytes,
    ),
};
