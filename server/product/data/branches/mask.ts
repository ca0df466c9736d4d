import type { CollectionSchema } from '../../../../contract/data/collection-schema.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';

/**
 * Replaces names, addresses and free text. Ids, dates, numbers and the values of enums stay, and so do the shape of a text
 * and which texts are equal.
 */
export function maskData(data: RecordData, schema: CollectionSchema | undefined, salt: string): RecordData {
  const fields = schema?.fields as Record<string, { type?: string }> | undefined;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      fields?.[name]?.type === 'enum' ? value : maskValue(name, value, salt),
    ]),
  );
}

/** Fields whose texts may stay, by the end of their names, and the texts that do: they say what something is, and not who. */
const KEPT: Array<[RegExp, RegExp]> = [
  [/(?:^|_)(?:id|ids|uuid)$|(?:Id|Ids)$/, /^(?:(?=.*\d)[\w:-]{1,64}|[\w:-]{20,64})$/],
  [
    /(?:^|_)(?:slug|status|state|type|kind|color|colour|currency|locale|lang)$|(?:Slug|Status|State|Type|Kind)$/,
    /^[\w.:-]{1,64}$/,
  ],
];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const EMAIL = /^[^@\s]+@[^@\s]+$/;
const URL_START = /^https?:\/\//i;

function maskValue(name: string, value: unknown, salt: string): unknown {
  if (typeof value === 'string') return isKept(name, value) ? value : maskText(value, salt);
  if (Array.isArray(value)) return value.map((item) => maskValue(name, item, salt));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskValue(key, item, salt)]));
}

const isKept = (name: string, value: string) =>
  KEPT.some(([ending, looks]) => ending.test(name) && looks.test(value));

/** A text of the same length and shape. */
export function maskText(text: string, salt: string): string {
  if (text === '' || UUID.test(text) || DATE.test(text)) return text;
  if (EMAIL.test(text))
    return `${scramble(text.slice(0, text.indexOf('@')), salt)}.${digest(text, salt)}@example.invalid`;
  if (URL_START.test(text))
    return `https://example.invalid/${scramble(text.slice(8, 40), salt).replace(/[^A-Za-z0-9]/g, '-')}`;
  return scramble(text, salt);
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';

/** Tells short addresses apart, and equal names at different hosts. */
const digest = (text: string, salt: string) =>
  new Bun.CryptoHasher('sha256', salt).update(text).digest('hex').slice(0, 12);

/** Replaces letters by letters and digits by digits. */
function scramble(text: string, salt: string): string {
  let bytes: Uint8Array = new Uint8Array();
  let at = 0;
  let block = 0;
  const next = (): number => {
    if (at >= bytes.length) {
      bytes = new Bun.CryptoHasher('sha256', salt).update(`${block++} ${text}`).digest();
      at = 0;
    }
    return bytes[at++] ?? 0;
  };
  return text.replace(/\p{L}\p{M}*|\p{N}/gu, (letter) => {
    const byte = next();
    if (/^\p{N}/u.test(letter)) return String(byte % 10);
    const chosen = LOWER[byte % 26] ?? 'x';
    return letter !== letter.toLowerCase() ? chosen.toUpperCase() : chosen;
  });
}
