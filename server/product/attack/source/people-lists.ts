import { words } from './invent.ts';

/** Lists of people in files beside a page. */

/** What says that a row is about a person. */
const NAMES =
  /^(name|names|firstname|lastname|surname|vorname|nachname|fullname|nickname|student|child|person)$/;
/** What only the person concerned should see. Shops and clubs also have addresses and telephone numbers. */
const PRIVATE =
  /^(email|mail|birthday|birthdate|birth|born|dob|geburtstag|iban|salary|gehalt|diagnosis|allergies|medication|grade|password|passwort|ssn|passport)$/;
const MAX_ROWS = 1_000;
/** One person alone can be who runs the page. */
const FEWEST = 2;

/** Whether a file lists several people with what is private: rows with names of columns, or an array of objects. */
export function listsPeople(text: string): boolean {
  const rows = readRows(text).slice(0, MAX_ROWS);
  const people = rows.filter((row) => {
    const given = Object.entries(row).filter(([, value]) => value !== '' && value !== null);
    const has = (pattern: RegExp) => given.some(([name]) => words(name).some((word) => pattern.test(word)));
    return has(NAMES) && has(PRIVATE);
  });
  return people.length >= FEWEST;
}

function readRows(text: string): Array<Record<string, unknown>> {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (/^[[{]/.test(trimmed)) return readJson(trimmed);
  const [head = '', ...lines] = trimmed.split(/\r?\n/, MAX_ROWS + 1);
  const separator = [';', '\t', ','].find((each) => head.includes(each));
  if (separator === undefined) return [];
  const names = splitRow(head, separator);
  return lines.map((line) => {
    const cells = splitRow(line, separator);
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  });
}

const splitRow = (line: string, separator: string) =>
  line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/** An array of objects, at the top or in an object. */
function readJson(text: string): Array<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    const lists = Array.isArray(json) ? [json] : Object.values(json ?? {}).filter(Array.isArray);
    return lists.flat().filter((row) => typeof row === 'object' && row !== null && !Array.isArray(row));
  } catch {
    return [];
  }
}
