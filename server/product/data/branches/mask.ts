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

/** Names of fields whose texts say what something is, and not who. */
const KEPT_FIELD =
  /(?:^|_)(?:id|ids|uuid|key|slug|status|state|type|kind|color|colour|currency|locale|lang)$|(?:Id|Ids|Key|Slug|Status|State|Type|Kind)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const EMAIL = /^[^@\s]+@[^@\s]+$/;
const URL_START = /^https?:\/\//i;

function maskValue(name: string, value: unknown, salt: string): unknown {
  if (typeof value === 'string') return KEPT_FIELD.test(name) ? value : maskText(value, salt);
  if (Array.isArray(value)) return value.map((item) => maskValue(name, item, salt));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskValue(key, item, salt)]));
}

/** A text of the same length and shape. */
export function maskText(text: string, salt: string): string {
  if (text === '' || UUID.test(text) || DATE.test(text)) return text;
  if (EMAIL.test(text)) return `${scramble(text.slice(0, text.indexOf('@')), salt)}@example.invalid`;
  if (URL_START.test(text))
    return `https://example.invalid/${scramble(text.slice(8, 40), salt).replace(/[^A-Za-z0-9]/g, '-')}`;
  return scramble(text, salt);
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';

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
