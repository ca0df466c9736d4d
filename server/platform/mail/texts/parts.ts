import type { Block, MailText } from '../layout.ts';
import type { MailMessage } from '../messages.ts';
import { plain } from '../plain.ts';

export { plainName as name } from '../plain.ts';

/** What the texts of mails are made of. */

type Kind = MailMessage['kind'];
type Message<K extends Kind> = MailMessage extends infer M ? (M extends { kind: K } ? M : never) : never;
/** Kinds that share a type share a shape too. */
export type Texts = { [K in Kind]: (message: Extract<MailMessage, { kind: K }> | Message<K>) => MailText };

const MAX_REASON = 1_000;

export const reasonText = (text: string) => plain(text, MAX_REASON);
export const hello = (username: string): Block => ({ text: `Hello ${username},` });

let format: Intl.DateTimeFormat | undefined;
/** A time as text. The format takes long to make, and most processes never need it. */
export function moment(milliseconds: number): string {
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(milliseconds)} UTC`;
}

/** A size that people know. Never less than it is. */
export function size(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  if (megabytes < 1) return `${Math.ceil(bytes / 1024)} KB`;
  const isHuge = megabytes >= 1024;
  const number = Math.ceil(10 * (isHuge ? megabytes / 1024 : megabytes)) / 10;
  return `${number} ${isHuge ? 'GB' : 'MB'}`;
}

export function facts(values: Record<string, string | undefined>): Block {
  return { facts: Object.entries(values).flatMap(([key, value]) => (value ? [[key, value]] : [])) };
}
