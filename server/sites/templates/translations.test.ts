import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import CATALOG from '../../../templates/catalog.json';
import { fillShelf } from './shelf.ts';
import { createTranslate } from './translate.ts';

/** Every template says everything in German, and its catalog has nothing that it does not say. */

const ROOT = join(import.meta.dir, '../../..');
const { templates } = fillShelf();

/** Attributes that people read or hear. */
const SPOKEN = 'placeholder|aria-label|title|alt|content|label|data-quire-sent|value';
/** Attributes that are not texts: of `meta`, and of fields that a program reads. */
const SILENT = /^(?:width=device-width|\w+$)/;
/** Keys of the keyboard, and places for values. */
const NOT_TEXTS = /^(?:Arrow\w+|Enter|Escape|Backspace|Delete key|\{\w+\})$/;
const LETTERS = /\p{L}{2,}/u;

function readCatalog(key: string, folder: string): Record<string, string> {
  const path = [folder, `templates/${key}`].map((each) => join(ROOT, each, 'de.json')).find(existsSync);
  return path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'));
}

/** What a page shows: its texts, the attributes that people read, and the sentences in its script. */
function findTexts(html: string): string[] {
  const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code = '']) => code);
  const document = html.replace(/<(script|style)\b.*?<\/\1>|<!--.*?-->/gs, '');
  const shown = [...document.matchAll(/>([^<>]+)</g)].map(([, text = '']) => text);
  const spoken = [...document.matchAll(new RegExp(`\\s(?:${SPOKEN})="([^"]*)"`, 'g'))]
    .map(([, text = '']) => text)
    .filter((text) => !SILENT.test(text));
  return [...shown, ...spoken, ...scripts.flatMap(findSentences)]
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => LETTERS.test(text.replaceAll('__NAME__', '')));
}

/** Strings in code that are sentences or capitalised words. */
function findSentences(code: string): string[] {
  const strings = [...code.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '').matchAll(/'([^'\n]*)'|`([^`]*)`/g)];
  return strings
    .map(([, plain, filled]) => plain ?? filled ?? '')
    .filter((text) => /^[A-Z“{][^<>]*\p{Ll}/u.test(text) && !NOT_TEXTS.test(text));
}

test.each(CATALOG.map(({ folder }) => [folder.split('/').at(-1) ?? '', folder]))(
  '%s says everything in German',
  (key, folder) => {
    const template = templates.en.get(key);
    if (!template) throw new Error(`${key} is not on the shelf`);
    const catalog = readCatalog(key, folder);
    const code = template.function ? [template.function.code, ...Object.values(template.function.files)] : [];
    const values = JSON.stringify([template.samples, template.next, template.function]);
    const sources = [template.html_content, values, template.samples_sql ?? '', ...code];
    const unused = Object.keys(catalog).filter((text) => {
      const mark = createTranslate({ [text]: '\u0001' });
      return !sources.some((source) => mark(source).includes('\u0001'));
    });
    expect(unused).toEqual([]);
    const keys = new Set(Object.keys(catalog).map((text) => text.trim()));
    const said = [...findTexts(template.html_content), ...template.next];
    expect([...new Set(said)].filter((text) => !keys.has(text))).toEqual([]);
    // A text replaces another one inside of quotes.
    expect(Object.values(catalog).filter((text) => /['"`<>\\]/.test(text))).toEqual([]);
  },
);
