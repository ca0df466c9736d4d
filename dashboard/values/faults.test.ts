import { expect, test } from 'bun:test';
import type { CollectionSchema } from '../../contract/data/collection-schema.ts';
import { findFaults } from '../../contract/data/record-faults.ts';
import { FilePathSet, filePathFault } from '../../contract/rules/file-paths.ts';
import { findJsonFault } from '../../contract/rules/json/json-fault.ts';
import { MailedInviteBody } from '../../contract/teams/teams.ts';
import { sayFault, translateFault } from './faults.ts';

const SCHEMA: CollectionSchema = {
  strict: true,
  fields: {
    missing: { type: 'string', required: true },
    text: { type: 'string' },
    short: { type: 'string', minLength: 2 },
    long: { type: 'string', maxLength: 1 },
    code: { type: 'string', pattern: '^[a-z]+$' },
    number: { type: 'number' },
    low: { type: 'number', min: -1.5 },
    high: { type: 'number', max: 1e21 },
    flag: { type: 'boolean' },
    choice: { type: 'enum', values: ['open', 'done'] },
    day: { type: 'date' },
    list: { type: 'array' },
    object: { type: 'object' },
  },
};
const RECORD = {
  ...{ text: 1, short: 'a', long: 'ab', code: 'A', number: '1', low: -2, high: 1e22, flag: 'yes' },
  ...{ choice: 'x', day: 'soon', list: {}, object: [], other: 1 },
};

const PATHS = [
  ...[
    '',
    'a'.repeat(2_000),
    'a\u0000',
    'a\\b',
    '/a',
    'a//b',
    'a/../b',
    '.env',
    'a'.repeat(300),
    '~x',
    'api/x',
  ],
  'a/'.repeat(60),
];
const CLASHES = [
  ['a.txt', 'a.txt'],
  ['a.txt', 'A.txt'],
  ['a/b', 'a'],
  ['a', 'a/b'],
];
const TEXTS = ['', '{', '{a', '{"a" 1}', '[1 2]', '{"a":1 "b"}', '1 2', '['.repeat(1_001)];

const FORMS = [{ email: 'nobody' }, { email: 'a@b.example', expiresInDays: 0, maxUses: 99_999 }];

const findClash = (paths: string[]) => {
  const all = new FilePathSet();
  return paths.map((path) => all.add(path)).at(-1);
};

const faults = [
  ...findFaults(SCHEMA, RECORD, 'whole record').map(({ message }) => message),
  ...PATHS.map(filePathFault),
  ...CLASHES.map(findClash),
  ...TEXTS.map((text) => findJsonFault(text)?.message),
  ...FORMS.flatMap((form) => MailedInviteBody.safeParse(form).error?.issues.map(({ message }) => message)),
];

test.each(faults)('knows the fault %j', (fault) => {
  expect(fault).toBeString();
  expect(translateFault(fault ?? '')).toBe(fault);
});

test('there is a fault for each field, and one for the other', () => {
  expect(findFaults(SCHEMA, RECORD, 'whole record')).toHaveLength(Object.keys(SCHEMA.fields).length + 1);
});

test('a fault that no rule says stays as it is', () => {
  expect(sayFault('is on fire')).toBe('is on fire');
});
