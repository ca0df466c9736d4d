import type { MailText } from '../layout.ts';
import type { FormMessages } from '../messages.ts';
import { plain } from '../plain.ts';
import { name } from './parts.ts';

const MAX_VALUE = 500;

/** The text of a mail about what visitors sent. */
export function formMessages({ pageName, count, messages, link }: FormMessages): MailText {
  const title = name(pageName);
  const shown = messages.map(({ form, fields, files }) => ({
    quote: [
      ['Form', form],
      ...fields.map(([field, value]) => [name(field), plain(value, MAX_VALUE)]),
      ...(files > 0 ? [['Files', String(files)]] : []),
    ] as Array<[string, string]>,
  }));
  const more = count - messages.length;
  return {
    subject: count === 1 ? `New message from “${title}”` : `${count} new messages from “${title}”`,
    blocks: [
      {
        text:
          count === 1
            ? `A visitor to your page “${title}” wrote:`
            : `Visitors to your page “${title}” wrote:`,
      },
      ...shown,
      ...(more > 0 ? [{ text: `And ${more} more.` }] : []),
      { text: 'Anyone can send a message with this form. Be as careful with it as with any other mail.' },
      { action: 'Open the messages', link },
      { text: 'You can turn off these mails on that screen.' },
    ],
  };
}
