import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The screens that the routers of the dashboard know, so that no test forgets a new one. */

const FOLDER = join(import.meta.dir, '../../../dashboard');
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8');

/** Names of screens that are constants. */
const CONSTANTS = new Map(
  ['pages/api.ts', 'pages/branches/places.ts', 'pages/reports/notice.tsx'].flatMap((path) =>
    [...read(path).matchAll(/export const ([A-Z_]+) = '([^']+)'/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  ),
);

/** The names in the list `TABS` of a router, without their slash. The first screen of an area is the empty text. */
export function readTabs(path: string): string[] {
  const [, list] = /^const TABS\b[^=]*=\s*[[{]\n(.*?)\n[\]}]/ms.exec(read(path)) ?? [];
  if (list === undefined) throw new Error(`dashboard/${path} has no list TABS: change readTabs in this test`);
  return list.split('\n').map((line) => {
    const constant = /^\s+\[([A-Z_]+)\]:/.exec(line)?.[1];
    const name = constant
      ? CONSTANTS.get(constant)
      : (/^\s+\{ name: '([^']*)'/.exec(line) ?? /^\s+'?([\w-]*)'?:/.exec(line))?.[1];
    if (name === undefined)
      throw new Error(`dashboard/${path} has a tab that this test cannot read: ${line}`);
    return name;
  });
}

/** The words in a constant list of a router. */
export function readList(path: string, name: string): string[] {
  const [, list] = new RegExp(`^const ${name}\\b[^=]*= \\[([^\\]]*)\\]`, 'm').exec(read(path)) ?? [];
  if (list === undefined)
    throw new Error(`dashboard/${path} has no list ${name}: change readList in this test`);
  return [...list.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);
}

/** The areas of the dashboard: `/pages`. */
export const readAreas = (): string[] =>
  [...read('app.tsx').matchAll(/\barea\(\s*'([^']+)'/g)].map(([, href = '']) => href);

/** What comes after `/pages` and is not the id of a page. */
export const readPageScreens = (): string[] => {
  const text = read('pages/index.tsx');
  return [...text.matchAll(/\bid === (?:'([\w-]+)'|([A-Z_]+))/g)].map(
    ([, literal, name = '']) =>
      literal ?? new RegExp(`^const ${name} = '([^']+)'`, 'm').exec(text)?.[1] ?? name,
  );
};

/** The address below an area, of one of its tabs. */
export const below = (base: string, tab: string): string => (tab === '' ? base : `${base}/${tab}`);
