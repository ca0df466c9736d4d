/** What a page says of itself, as plain text; empty where it says nothing. */
export interface PageText {
  title: string;
  description: string;
  heading: string;
}

/** How much of a page is read: its head and how it begins, and not millions of elements behind that. */
export const MAX_HTML = 128 * 1024;
const MAX_TEXT = 500;
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

/** Those that titles have; the rest stay as they were written. */
const ENTITIES = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®', trade: '™' },
    ...{ hellip: '…', mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«' },
    ...{
      raquo: '»',
      middot: '·',
      bull: '•',
      times: '×',
      euro: '€',
      shy: '',
      auml: 'ä',
      ouml: 'ö',
      uuml: 'ü',
    },
    ...{ szlig: 'ß', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç' },
  }),
);

function plain(raw: string): string {
  const text = raw
    .slice(0, MAX_RAW)
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (all, ten, hex, name) => {
      if (name) return ENTITIES.get(name) ?? all;
      const code = ten ? Number(ten) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    });
  return text.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT).toWellFormed();
}
