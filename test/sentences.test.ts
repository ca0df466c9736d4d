import { expect, test } from 'bun:test';
import { readCatalog } from '../server/sites/screens/index.ts';
import { findMisfits, TRANSLATED } from './support/catalogs.ts';
import { findSentences, type Sentence } from './support/sentences.ts';

/** What errors say to people has translations, and what has translations is said. */

/** Only programs get these: agents, pages' scripts that open WebSockets or use features, and monitoring. */
const FOR_PROGRAMS = [
  'contract/features/',
  'contract/live/',
  'server/platform/http/sockets/',
  'server/platform/operations/',
  'server/product/agents/',
  'server/product/live/',
  'server/runtime/cells/',
];

const { found, unknown, misfits } = findSentences();
/** A sentence that is only a value has the words of somebody else, such as the compiler. */
const isOurs = ({ text }: Sentence) => /[a-z](?![^{}]*\})/i.test(text) || text.includes('|');
const ours = found.filter(isOurs);
const say = ({ place, text }: Sentence) => `${place} ${text}`;

test('every sentence of an error is a literal with a value for each of its places', () => {
  expect(ours.length).toBeGreaterThan(500);
  expect(unknown.map(say)).toEqual([]);
  expect(misfits.map(say)).toEqual([]);
});

test.each(TRANSLATED)(
  'every sentence for people has a translation in %s that fits it, and no other has',
  (language) => {
    const catalog = readCatalog(language, ['errors']);
    const isForPeople = ({ place }: Sentence) => !FOR_PROGRAMS.some((folder) => place.startsWith(folder));
    const missing = ours.filter((one) => isForPeople(one) && !Object.hasOwn(catalog, one.text));
    expect(missing.map(say)).toEqual([]);
    expect(findMisfits(language, catalog)).toEqual([]);
    const said = new Set(found.map(({ text }) => text));
    expect(Object.keys(catalog).filter((text) => !said.has(text))).toEqual([]);
  },
);
