import { escapeHtml } from '../../lib/text.ts';
import { type Look, look } from '../service-settings/index.ts';
import { plain } from './plain.ts';

/** A part of a mail. */
export type Block =
  | { text: string }
  /** Text with lines that somebody else wrote. */
  | { letter: string }
  /** What to do next: a button, with its URL below it. */
  | { action: string; link: string }
  /** Names and values. */
  | { facts: Array<[string, string]> }
  /** Text that somebody else wrote, set apart from ours. */
  | { quote: Array<[string, string]> };

/** The text of a mail, before it is rendered. */
export interface MailText {
  subject: string;
  blocks: Block[];
  /** What somebody else wrote, in place of the first block. It comes after ours, because it can hide what follows it. */
  html?: string;
}

/** A mail that is ready to send. */
interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

export function renderMail(
  { subject, blocks, html }: MailText,
  { baseUrl }: { baseUrl: string },
): RenderedMail {
  const footer = `Sent by ${plain(look().name, 60)} at ${baseUrl}`;
  return {
    subject,
    text: `${[...blocks.map(toText), `--\n${footer}`].join('\n\n')}\n`,
    html:
      html === undefined
        ? toDocument(subject, blocks.map(toHtml).join('\n'), footer)
        : `${blocks.slice(1).map(toHtml).join('\n')}\n<p>${escapeHtml(footer)}</p>\n<hr>\n${html}\n`,
  };
}

function toText(block: Block): string {
  if ('text' in block) return block.text;
  if ('letter' in block) return block.letter;
  if ('action' in block) return `${block.action}:\n${block.link}`;
  if ('facts' in block) return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return block.quote.map(([name, value]) => `> ${name}: ${value}`).join('\n');
}

function toHtml(block: Block): string {
  if ('text' in block) return `<p>${escapeHtml(block.text)}</p>`;
  if ('letter' in block) return `<p style="white-space:pre-line">${escapeHtml(block.letter)}</p>`;
  if ('action' in block) {
    const link = escapeHtml(block.link);
    return `<p><a class="button" href="${link}">${escapeHtml(block.action)}</a></p>
<p class="small">Or open this link:<br><a href="${link}">${link}</a></p>`;
  }
  const isQuote = 'quote' in block;
  const lines = (isQuote ? block.quote : block.facts).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<dl${isQuote ? ' class="quote"' : ''}>${lines.join('\n')}</dl>`;
}

/**
 * The colours of the service's screens, written out: many mail programs know neither variables nor `light-dark()`. The
 * mail loads no pictures and no other files: mail programs block them, and they would reveal who reads the mail and when.
 */
const styles = ({ accent }: Look) => `:root{color-scheme:light dark}
body{margin:0;padding:24px 16px;background:#faf8f4;color:#1d1b16;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:560px;margin:0 auto;padding:24px 24px 8px;background:#fff;border:1px solid #e5e0d4;border-radius:10px;overflow-wrap:anywhere}
h1{margin:0 0 16px;font:700 22px/1.3 Georgia,"Noto Serif",serif}
p{margin:0 0 16px}
a{color:${accent.light}}
a.button{display:inline-block;padding:10px 18px;border-radius:8px;background:${accent.light};color:${accent.onLight};font-weight:600;text-decoration:none}
.small,footer,dt{font-size:14px;color:#6b665a}
dl{margin:0 0 16px}
dd{margin:0 0 8px}
.quote{padding-left:12px;border-left:3px solid #e5e0d4}
footer{max-width:560px;margin:16px auto 0;text-align:center}
@media (prefers-color-scheme:dark){
body{background:#16150f;color:#f1eee5}
main{background:#201f18;border-color:#37352a}
a{color:${accent.dark}}
a.button{background:${accent.dark};color:${accent.onDark}}
.small,footer,dt{color:#a8a292}
.quote{border-color:#37352a}
}`;

function toDocument(title: string, body: string, footer: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${styles(look())}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
<footer>${escapeHtml(footer)}</footer>
</body>
</html>
`;
}
