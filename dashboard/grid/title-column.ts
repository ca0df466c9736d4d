import type { ColumnType } from './columns.ts';

/** A column that may name its rows. */
interface Candidate {
  key: string;
  type: ColumnType;
  /** Some of its values. */
  samples: unknown[];
}

/** Names of columns that name a row, the best first. */
const TITLES = [
  'title',
  'titel',
  'name',
  'subject',
  'betreff',
  'question',
  'frage',
  'headline',
  'label',
  'caption',
  'text',
  'message',
  'nachricht',
  'email',
  'mail',
  'username',
  'nickname',
  'slug',
];
/** A name may have other words in front: `guest_name`, `productTitle`. */
const ENDINGS = ['title', 'titel', 'name', 'subject', 'question', 'text', 'email'];
/** A text of this length is still a title. */
const MAX_TITLE = 80;
const NOT_TITLES = /^([0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|https?:\/\/|data:|\d{4}-\d{2}-\d{2}(T|$))/i;

/** The key of the column that reads like a title: by its name, otherwise the first short text. */
export function chooseTitle(columns: Candidate[]): string | undefined {
  const texts = columns.filter(holdsText);
  const words = texts.map(({ key }) => ({ key, words: splitName(key) }));
  for (const name of TITLES) {
    const found = words.find((each) => each.words.join('') === name);
    if (found) return found.key;
  }
  for (const name of ENDINGS) {
    const found = words.find((each) => each.words.at(-1) === name);
    if (found) return found.key;
  }
  return texts.find(({ samples }) => samples.length > 0 && samples.every(isShort))?.key;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function holdsText({ type, samples }: Candidate): boolean {
  if (type !== 'text' && type !== 'choice' && type !== 'any') return false;
  const given = samples.filter((value) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? type === 'text' : given.every(isText);
}

const isShort = (value: unknown) =>
  !isText(value) || (value.length <= MAX_TITLE && !value.includes('\n') && !NOT_TITLES.test(value));

const splitName = (name: string) =>
  name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
