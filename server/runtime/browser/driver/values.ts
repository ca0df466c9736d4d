import { MAX_CHECK_TEXT, MAX_CHECK_URL } from '../../../../contract/checks/page-check.ts';
import { CALL_TICKET_PARAM } from '../../../../contract/functions/call-tickets.ts';
import type { Params } from './pipe.ts';

/** Reads values that came from the browser, where a page may have made them. */

/** The ticket of a call, which is a secret, means nothing to the author of a page, and is long. */
const TICKET = new RegExp(`[?&]${CALL_TICKET_PARAM}=[\\w.-]*`, 'g');

/** A text of limited length that every engine can store, without tickets. */
export function readText(value: unknown, max = MAX_CHECK_TEXT): string {
  const text = typeof value === 'string' ? value : '';
  const cut = text.length <= max ? text : `${text.slice(0, max - 1)}…`;
  return cut.toWellFormed().replaceAll('\0', '').replace(TICKET, '');
}

export const readUrl = (value: unknown) => readText(value, MAX_CHECK_URL);

export const readNumber = (value: unknown) => (typeof value === 'number' ? value : undefined);

export const readObject = (value: unknown): Params =>
  typeof value === 'object' && value !== null ? (value as Params) : {};

export const readList = (value: unknown): Params[] => (Array.isArray(value) ? value.map(readObject) : []);

/** Values that a console message shows. */
const MAX_ARGUMENTS = 20;
const MAX_PROPERTIES = 20;

/** The arguments of a console call as one line, as a browser shows them. */
export function sayArguments(values: unknown): string {
  return readText(readList(values).slice(0, MAX_ARGUMENTS).map(sayValue).join(' '));
}

function sayValue(value: Params): string {
  if (typeof value.value === 'string') return readText(value.value);
  if (value.subtype === 'null') return 'null';
  if (value.type === 'object' && value.preview) return sayPreview(readObject(value.preview));
  if (typeof value.unserializableValue === 'string') return readText(value.unserializableValue);
  if (value.value !== undefined && typeof value.value !== 'object') return String(value.value);
  return readText(value.description) || readText(value.type) || 'null';
}

function sayPreview(preview: Params): string {
  // An error has its stack as its description.
  if (preview.subtype === 'error') return readText(preview.description);
  const isList = preview.subtype === 'array';
  const parts = readList(preview.properties)
    .slice(0, MAX_PROPERTIES)
    .map(({ name, type, value }) => {
      const shown = type === 'string' ? JSON.stringify(readText(value)) : readText(value);
      return isList ? shown : `${readText(name)}: ${shown}`;
    });
  if (preview.overflow === true) parts.push('…');
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}
