import { isSortable } from './fields.ts';

/** A search over all fields, as a `where` of the API. The API compares letters exactly, so it asks for several spellings. */

/** The API takes 200 conditions. A field in a group counts as two, and the filter needs some. */
const MAX_TESTS = 70;
/** The API takes 20,000 characters. */
const MAX_CHARACTERS = 15_000;

/** The filter and the search together; undefined without both. */
export function addSearch(where: string | undefined, query: string, fields: string[]): string | undefined {
  const names = fields.filter(isSortable);
  if (query === '' || names.length === 0) return where;
  const tests = listTests(query, names);
  const found = JSON.stringify({ or: tests.slice(0, fit(tests)) });
  if (where === undefined) return found;
  return isJson(where) ? `{"and":[${where},${found}]}` : where;
}

/** First what was typed in every field, then other spellings, until the API would refuse more. */
function listTests(query: string, names: string[]): object[] {
  const [first = '', ...rest] = query;
  const lower = query.toLowerCase();
  const spellings = [
    query,
    lower,
    first.toUpperCase() + rest.join(''),
    capitalize(lower),
    query.toUpperCase(),
  ];
  const number = Number(query);
  const isNumber = /^-?[\d.]+$/.test(query) && Number.isFinite(number);
  const same = isNumber ? names.map((name) => ({ [name]: { eq: number } })) : [];
  const holding = [...new Set(spellings)].flatMap((spelling) =>
    names.map((name) => ({ [name]: { contains: spelling } })),
  );
  return [...same, ...holding].slice(0, MAX_TESTS);
}

const capitalize = (text: string) => text.replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());

function fit(tests: object[]): number {
  let characters = 0;
  const tooMany = tests.findIndex((test) => {
    characters += JSON.stringify(test).length + 1;
    return characters > MAX_CHARACTERS;
  });
  return tooMany < 0 ? tests.length : tooMany;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
