import { t } from '../texts/index.ts';

/** What the rules of the contract say about a value. They and the service say it in English. */
type Words = (first: string, second: string) => string;

const OF_RECORDS: Array<[RegExp, Words]> = [
  [/^is required$/, () => t('is required')],
  [/^is not a field of the schema$/, () => t('is not a field of the schema')],
  [/^must be a string$/, () => t('must be a string')],
  [/^must be a number$/, () => t('must be a number')],
  [/^must be true or false$/, () => t('must be true or false')],
  [/^must be an array$/, () => t('must be an array')],
  [/^must be an object$/, () => t('must be an object')],
  [
    /^must be a date in ISO 8601, like (\S+) or (\S+)$/,
    (day, moment) => t('must be a date in ISO 8601, like {day} or {moment}', { day, moment }),
  ],
  [/^must be at least (-?[\d.e+-]+)$/, (min) => t('must be at least {min}', { min })],
  [/^must be at most (-?[\d.e+-]+)$/, (max) => t('must be at most {max}', { max })],
  [/^must be one of (.*)$/s, (values) => t('must be one of {values}', { values })],
  [/^must have at least (\d+) characters$/, (min) => t('must have at least {min} characters', { min })],
  [/^must have at most (\d+) characters$/, (max) => t('must have at most {max} characters', { max })],
  [
    /^is too long to be matched with (.*)$/s,
    (pattern) => t('is too long to be matched with {pattern}', { pattern }),
  ],
  [/^must match (.*)$/s, (pattern) => t('must match {pattern}', { pattern })],
];

const OF_PATHS: Array<[RegExp, Words]> = [
  [/^must not be empty$/, () => t('must not be empty')],
  [
    /^must have at most ([\d,]+) bytes$/,
    (max) => t('must have at most {max} bytes', { max: parseNumber(max) }),
  ],
  [/^must not contain control characters$/, () => t('must not contain control characters')],
  [
    /^must not contain a backslash; separate folders with \/$/,
    () => t('must not contain a backslash; separate folders with /'),
  ],
  [/^must be relative to the page$/, () => t('must be relative to the page')],
  [
    /^must have at most (\d+) names between slashes$/,
    (max) => t('must have at most {max} names between slashes', { max }),
  ],
  [/^must not have an empty segment$/, () => t('must not have an empty segment')],
  [/^must not contain \. or \.\. as a segment$/, () => t('must not contain . or .. as a segment')],
  [
    /^must not have a name that starts with a dot \((.*)\)$/s,
    (name) => t('must not have a name that starts with a dot ({name})', { name }),
  ],
  [
    /^must not have a name of more than (\d+) bytes$/,
    (max) => t('must not have a name of more than {max} bytes', { max }),
  ],
  [
    /^must not begin with (.*), which the service uses itself$/s,
    (start) => t('must not begin with {start}, which the service uses itself', { start }),
  ],
  [/^is there twice$/, () => t('is there twice')],
  [
    /^differs from (.*) only in upper and lower case$/s,
    (other) => t('differs from {other} only in upper and lower case', { other }),
  ],
  [
    /^is a file, but (.*) needs a folder of that name$/s,
    (inside) => t('is a file, but {inside} needs a folder of that name', { inside }),
  ],
  [/^needs a folder where (.*) is a file$/s, (file) => t('needs a folder where {file} is a file', { file })],
];

const OF_JSON: Array<[RegExp, Words]> = [
  [
    /^expected (.+?), found (.+)$/s,
    (expected, found) =>
      t('expected {expected}, found {found}', { expected: sayFault(expected), found: sayFault(found) }),
  ],
  [/^a value$/, () => t('a value')],
  [/^a name in double quotes$/, () => t('a name in double quotes')],
  [/^, or ([}\]])$/, (end) => t(', or {end}', { end })],
  [/^at most (\d+) levels$/, (max) => t('at most {max} levels', { max })],
  [/^the end of the text$/, () => t('the end of the text')],
];

const OF_FORMS: Array<[RegExp, Words]> = [
  [/^must be an e-mail address$/, () => t('must be an e-mail address')],
  [
    /^must be a whole number from ([\d,]+) to ([\d,]+)$/,
    (min, max) =>
      t('must be a whole number from {min} to {max}', { min: parseNumber(min), max: parseNumber(max) }),
  ],
];

const FAULTS = [...OF_RECORDS, ...OF_PATHS, ...OF_JSON, ...OF_FORMS];
const parseNumber = (text: string) => Number(text.replaceAll(',', ''));

/** The words in the person's language; undefined if no rule says this. */
export function translateFault(fault: string): string | undefined {
  for (const [pattern, words] of FAULTS) {
    const found = pattern.exec(fault);
    if (found) return words(found[1] ?? '', found[2] ?? '');
  }
  return undefined;
}

/** A fault in the person's language. One that no rule of the contract says stays as it is. */
export const sayFault = (fault: string): string => translateFault(fault) ?? fault;
