import { setImmediate } from 'node:timers/promises';
import type { Section } from '../navigation.ts';
import { AUDIENCE, type Shelf } from '../shelf.ts';

/** A part of a document: what follows a heading, or what comes before the first one. */
export interface Part {
  href: string;
  /** The title of the document. */
  title: string;
  /** Empty for the beginning of a document. */
  heading: string;
  text: string;
  /** Documents for people who change Quire come after the others. */
  weight: number;
}

/** Where a word is: in a title, in a heading, or how often in a text. */
export interface Posting {
  part: number;
  inTitle: boolean;
  inHeading: boolean;
  count: number;
}

export interface WordIndex {
  parts: Part[];
  /** Every word, in order, so that those with the same beginning are together. */
  words: string[];
  postings: Map<string, Posting[]>;
}

const DECISION_WEIGHT = 0.2;

/** Cuts a text into words: letters, digits and underscores, without the plural. */
export function* cutWords(text: string): Generator<{ word: string; at: number; length: number }> {
  for (const { 0: found, index } of text.matchAll(/[\p{L}\p{N}_]+/gu))
    yield { word: toWord(found), at: index, length: found.length };
}

const toWord = (text: string) => {
  const lower = text.toLowerCase();
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower;
};

/** Makes the index of all documents, one after the other: others work in between. */
export async function buildIndex(sections: Section[], shelf: Shelf): Promise<WordIndex> {
  const markdown = new Map([...shelf.documents.values()].map((each) => [each.href, each.markdown]));
  const parts: Part[] = [];
  const postings = new Map<string, Posting[]>();
  for (const { links, isFolded } of sections) {
    for (const { href, title, about = '' } of links) {
      for (const { id, heading, text } of cutDocument(
        (markdown.get(href) ?? '').replace(AUDIENCE, '$1'),
        about,
      )) {
        const weight = isFolded ? DECISION_WEIGHT : 1;
        const part = { href: id ? `${href}#${id}` : href, title, heading, text, weight };
        addPart(postings, part, parts.push(part) - 1);
      }
      await setImmediate();
    }
  }
  return { parts, postings, words: [...postings.keys()].sort() };
}

function addPart(postings: Map<string, Posting[]>, { title, heading, text }: Part, part: number): void {
  const own = new Map<string, Posting>();
  const find = (word: string) => {
    const posting = own.get(word) ?? { part, inTitle: false, inHeading: false, count: 0 };
    own.set(word, posting);
    return posting;
  };
  for (const { word } of cutWords(title)) find(word).inTitle = true;
  for (const { word } of cutWords(heading)) find(word).inHeading = true;
  for (const { word } of cutWords(text)) find(word).count++;
  for (const [word, posting] of own) {
    const list = postings.get(word);
    if (list) list.push(posting);
    else postings.set(word, [posting]);
  }
}

interface Cut {
  id: string;
  heading: string;
  text: string;
}

/** Cuts a document at its headings. Their ids are those of the page, because the same renderer makes them. */
export function cutDocument(markdown: string, about = ''): Cut[] {
  const cuts: Cut[] = [{ id: '', heading: '', text: `${about}\n` }];
  let state: 'text' | 'heading' | 'title' = 'text';
  new HTMLRewriter()
    .on('h1, h2, h3', {
      element(element) {
        state = element.tagName === 'h1' ? 'title' : 'heading';
        if (state === 'heading') cuts.push({ id: element.getAttribute('id') ?? '', heading: '', text: '' });
        element.onEndTag(() => {
          state = 'text';
        });
      },
    })
    .on('p, li, td, th, pre, h4', {
      element() {
        const cut = cuts.at(-1);
        if (cut) cut.text += ' ';
      },
    })
    .onDocument({
      text(chunk) {
        const cut = cuts.at(-1);
        if (!cut || state === 'title') return;
        if (state === 'heading') cut.heading += chunk.text;
        else cut.text += chunk.text;
      },
    })
    .transform(Bun.markdown.html(markdown, { headings: true }));
  return cuts.map(({ id, heading, text }) => ({
    id,
    heading: toPlain(heading),
    text: toPlain(text).replace(/\s+/g, ' ').trim(),
  }));
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of HTML without tags. */
const toPlain = (html: string) =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
