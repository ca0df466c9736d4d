import { decodeHTML } from 'entities/decode';

/** What a page says of itself, as plain text; empty where it says nothing. */
export interface PageText {
  title: string;
  description: string;
  heading: string;
}

/** How much of a page is read: its head and how it begins, and not millions of elements behind that. */
export const MAX_HTML = 128 * 1024;
const MAX_TEXT = 500;
const SOFT_HYPHEN = '\u00ad';
/** Before entities are read and space is folded. */
const MAX_RAW = 4_000;

/** Reads title, description (its own, or the first paragraph) and first heading out of HTML. */
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

/** Takes the text of the first such element that has any. */
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
