/** Finds the templates that fit best to what somebody wants to make, in English or German. */

/** What is known of a template in words. */
export interface Described {
  key: string;
  title: string;
  description: string;
  /** Words and beginnings of words that people use for it. */
  keywords: readonly string[];
}

/** The template for a wish that fits to none. */
const DEFAULT_TEMPLATE = 'blank';
/** The most wanted, the first most of all. */
const POPULAR = ['event', 'launch', 'quiz', 'poll'];

/** How much of a wish is read. */
const MAX_LETTERS = 2_000;
const MAX_WORDS = 60;

const EXACT = 6;
const BEGINNING = 5;
const INSIDE = 4;
const PHRASE = 8;
const TITLE = 3;
const DESCRIPTION = 0.5;
/** What the first word of a wish counts more than the last: people name what it is before whom it is for. */
const FIRST = 1.2;
/** What words count that say what the page has, and not what it is: those after “with”. */
const DETAIL = 0.4;
const BEFORE_DETAILS = /^(?:with|where|including|mit|wo|inklusive)$/;
/** Shorter words are inside of too many others. */
const MIN_INSIDE = 5;
const MIN_BEGINNING = 4;
const MIN_TOLD = 4;

/** Sorts the templates by how well they fit to a wish, the best first. */
export function sortByNearness<Template extends Described>(
  wish: string,
  templates: readonly Template[],
): Template[] {
  const words = splitWords(wish);
  const known = templates.map(readWords);
  const looked = known.map(({ keywords }) => keywords);
  const fits = looked.map((keywords) => words.map((word) => bestFit(word, keywords)));
  const best = words.map((_, at) => Math.max(0, ...fits.map((fit) => fit[at] ?? 0)));
  const weights = weigh(words);
  const scored = templates.map((template, index) => {
    // A word that one template has as it is says nothing about those that have only a part of it.
    const ofWords = words.map((_, at) => (fits[index]?.[at] === best[at] ? (best[at] ?? 0) : 0));
    const said = words.map((word, at) => (ofWords[at] ?? 0) + rateTexts(word, known[index]));
    const phrases = countPhrases(words, looked[index] ?? []) * PHRASE;
    const score = said.reduce((sum, each, at) => sum + each * (weights[at] ?? 1), phrases);
    return { template, index, score };
  });
  const isUnknown = scored.every(({ score }) => score < EXACT / 2);
  const rank = ({ template: { key }, score }: (typeof scored)[number]) =>
    score + popularity(key) + (isUnknown && key === DEFAULT_TEMPLATE ? EXACT : 0);
  return scored.sort((a, b) => rank(b) - rank(a) || a.index - b.index).map(({ template }) => template);
}

/** Less than any word counts. */
function popularity(key: string): number {
  const place = POPULAR.indexOf(key);
  return place < 0 ? 0 : (POPULAR.length - place) / 100;
}

/** How much each word of a wish counts. */
function weigh(words: string[]): number[] {
  const details = words.findIndex((word) => BEFORE_DETAILS.test(word));
  return words.map((_, at) => {
    const early = FIRST - (FIRST - 1) * (at / Math.max(1, words.length - 1));
    return details > 0 && at > details ? early * DETAIL : early;
  });
}

function countPhrases(words: string[], keywords: string[][]): number {
  const whole = ` ${words.join(' ')} `;
  return keywords.filter((keyword) => keyword.length > 1 && whole.includes(` ${keyword.join(' ')}`)).length;
}

function rateTexts(word: string, words: Words | undefined): number {
  if (!words || word.length < MIN_TOLD) return 0;
  const titled = words.title.includes(word) ? TITLE : 0;
  return titled + (words.description.includes(word) ? DESCRIPTION : 0);
}

interface Words {
  title: string[];
  description: string[];
  keywords: string[][];
}

/** The words of templates. Anyone can send a wish, so they are not split again for each. */
const wordsOfTemplates = new WeakMap<Described, Words>();

function readWords(template: Described): Words {
  const known = wordsOfTemplates.get(template);
  if (known) return known;
  const { title, description, keywords } = template;
  const words = {
    title: splitWords(title),
    description: splitWords(description),
    keywords: keywords.map((keyword) => splitWords(keyword)),
  };
  wordsOfTemplates.set(template, words);
  return words;
}

/** How well a word fits to the keyword that it fits best to. */
function bestFit(word: string, keywords: string[][]): number {
  let best = 0;
  for (const keyword of keywords)
    if (keyword.length === 1) best = Math.max(best, compare(word, keyword[0] ?? ''));
  return best;
}

function compare(word: string, keyword: string): number {
  if (word === keyword) return EXACT;
  if (keyword.length >= MIN_BEGINNING && word.startsWith(keyword)) return BEGINNING;
  // German compounds: the invitation in “Geburtstagseinladung”.
  return keyword.length >= MIN_INSIDE && word.includes(keyword) ? INSIDE : 0;
}

/** The words of a text, without case and accents. */
function splitWords(text: string): string[] {
  const plain = text
    .slice(0, MAX_LETTERS)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
}
