import { decodeHTML } from 'entities/decode';

/** The title, description and heading of a page as plain text. Empty if missing. */
export interface PageText {
  title: string;
  description: string;
  heading: string;
}

/** How much of a page is read: enough for its head and first paragraphs, but not for millions of elements. */
export const MAX_HTML = 128 * 1024;
const MAX_TEXT = 500;
const SOFT_HYPHEN = '\u00ad';
/** The limit before entities are decoded and whitespace is collapsed. */
const MAX_RAW = 4_000;

/** Reads the title, the description (or else the first paragraph) and the first heading from HTML. */
export function describeHtml(html: string): PageText {
  const found = { title: '', meta: '', openGraph: '', heading: '', paragraph: '' };
  new HTMLRewriter()
    .on('meta', {
      element(meta) {
        const key = (meta.getAttribute('name') ?? meta.getAttribute('property') ?? '').trim().toLowerCase();
        if (key !== 'description' && key !== 'og:description') return;
        const content = (meta.getAttribute('content') ?? '').slice(0, MAX_RAW);
        if (key === 'description') found.meta ||= content;
        else found.openGraph ||= content;
      },
    })
    .on(
      'title',
      firstText((text) => (found.title = text)),
    )
    .on(
      'h1',
      firstText((text) => (found.heading = text)),
    )
    .on(
      'p',
      firstText((text) => (found.paragraph = text)),
    )
    .transform(html.slice(0, MAX_HTML));
  const description = [found.meta, found.openGraph, found.paragraph].map(plain).find((text) => text !== '');
  return { title: plain(found.title), description: description ?? '', heading: plain(found.heading) };
}

/** Passes on the text of the first matching element that is not empty. */
function firstText(take: (text: string) => void) {
  let text = '';
  let isDone = false;
  return {
    element() {
      if (text.trim()) isDone = true;
    },
    text(chunk: { text: string }) {
      if (isDone || text.length >= MAX_RAW) return;
      text += chunk.text.slice(0, MAX_RAW);
      take(text);
    },
  };
}

function plain(raw: string): string {
  const text = decodeHTML(raw.slice(0, MAX_RAW)).replaceAll(SOFT_HYPHEN, '').toWellFormed();
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT).toWellFormed();
}
