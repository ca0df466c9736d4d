import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RULES, type Rule } from '../../../contract/data/collection-rules.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, join, type Mode, publishApp } from '../../support/data/data.ts';

type Person = 'guest' | 'stranger' | 'viewer' | 'member' | 'admin' | 'owner';
const ON_TEAM: Person[] = ['guest', 'stranger', 'viewer', 'member', 'admin', 'owner'];
/** Other pages have no roles. */
const ELSEWHERE: Person[] = ['guest', 'stranger', 'owner'];

let quire: TestApp;
const users = {} as Record<Exclude<Person, 'guest'>, TestUser>;
/** Creates the records of someone else. */
let writer: TestUser;
beforeAll(async () => {
  quire = await testApp();
  for (const name of ON_TEAM) if (name !== 'guest') users[name] = await quire.user(name);
  writer = await quire.user('writer');
});
afterAll(() => quire.stop());

const callAs = (person: Person): TestApp['call'] =>
  person === 'guest' ? quire.call : (...call) => users[person].call(...call);

async function pageFor(mode: Mode): Promise<DataPage> {
  const page = await publishApp(users.owner, mode);
  if (mode !== 'team') return page;
  for (const role of ['viewer', 'member', 'admin'] as const)
    await join(quire, users.owner, page, users[role], role);
  return page;
}

async function setRules(address: string, rules: object): Promise<void> {
  const { status, body } = await users.owner.call('PUT', `${address}/schema`, {
    body: { schema: { rules } },
  });
  expect([status, body.schema]).toEqual([200, { fields: {}, rules }]);
}

/**
 * What each person gets: a letter for someone else's record and one for their own, or one letter if there is no record.
 * y: allowed, l: log in (401), f: forbidden (403), n: not found (404).
 */
type Row = [rule: Rule, ...outcomes: string[]];

const READ_ON_TEAM: Row[] = [
  // guest, stranger, viewer, member, admin, owner
  ['anyone', 'y', 'yy', 'yy', 'yy', 'yy', 'yy'],
  ['user', 'l', 'yy', 'yy', 'yy', 'yy', 'yy'],
  ['member', 'l', 'ff', 'ff', 'yy', 'yy', 'yy'],
  ['author', 'l', 'ny', 'ny', 'ny', 'ny', 'yy'],
  ['admin', 'l', 'ff', 'ff', 'ff', 'yy', 'yy'],
  ['owner', 'l', 'ff', 'ff', 'ff', 'ff', 'yy'],
];
const CREATE_ON_TEAM: Row[] = [
  ['anyone', 'l', 'y', 'y', 'y', 'y', 'y'],
  ['user', 'l', 'y', 'y', 'y', 'y', 'y'],
  ['member', 'l', 'f', 'f', 'y', 'y', 'y'],
  ['author', 'l', 'y', 'y', 'y', 'y', 'y'],
  ['admin', 'l', 'f', 'f', 'f', 'y', 'y'],
  ['owner', 'l', 'f', 'f', 'f', 'f', 'y'],
];
/** Strangers cannot read the data of a team, so they cannot change it either. */
const CHANGE_ON_TEAM: Row[] = [
  ['anyone', 'l', 'ff', 'yy', 'yy', 'yy', 'yy'],
  ['user', 'l', 'ff', 'yy', 'yy', 'yy', 'yy'],
  ['member', 'l', 'ff', 'ff', 'yy', 'yy', 'yy'],
  ['author', 'l', 'ff', 'fy', 'fy', 'fy', 'yy'],
  ['admin', 'l', 'ff', 'ff', 'ff', 'yy', 'yy'],
  ['owner', 'l', 'ff', 'ff', 'ff', 'ff', 'yy'],
];
const SOLO: Row[] = [
  // guest, stranger, owner
  ['anyone', 'l', 'ny', 'ny'],
  ['user', 'l', 'ny', 'ny'],
  ['member', 'l', 'ff', 'ny'],
  ['author', 'l', 'ny', 'ny'],
  ['admin', 'l', 'ff', 'ny'],
  ['owner', 'l', 'ff', 'ny'],
];

const TABLE: Record<Mode, Record<'read' | 'create' | 'update' | 'delete', Row[]>> = {
  team: { read: READ_ON_TEAM, create: CREATE_ON_TEAM, update: CHANGE_ON_TEAM, delete: CHANGE_ON_TEAM },
  social: {
    read: [
      ['anyone', 'y', 'yy', 'yy'],
      ['user', 'l', 'yy', 'yy'],
      ['member', 'l', 'ff', 'yy'],
      ['author', 'l', 'ny', 'yy'],
      ['admin', 'l', 'ff', 'yy'],
      ['owner', 'l', 'ff', 'yy'],
    ],
    create: [
      ['anyone', 'l', 'y', 'y'],
      ['user', 'l', 'y', 'y'],
      ['member', 'l', 'f', 'y'],
      ['author', 'l', 'y', 'y'],
      ['admin', 'l', 'f', 'y'],
      ['owner', 'l', 'f', 'y'],
    ],
    update: changeOnSocial(),
    delete: changeOnSocial(),
  },
  solo: { read: SOLO, create: SOLO.map(lastLetters), update: SOLO, delete: SOLO },
};

function changeOnSocial(): Row[] {
  return [
    ['anyone', 'l', 'yy', 'yy'],
    ['user', 'l', 'yy', 'yy'],
    ['member', 'l', 'ff', 'yy'],
    ['author', 'l', 'fy', 'yy'],
    ['admin', 'l', 'ff', 'yy'],
    ['owner', 'l', 'ff', 'yy'],
  ];
}

function lastLetters([rule, ...outcomes]: Row): Row {
  return [rule, ...outcomes.map((letters) => letters.slice(-1))];
}

const LETTERS: Record<number, string> = {
  200: 'y',
  201: 'y',
  204: 'y',
  401: 'l',
  403: 'f',
  404: 'n',
};

for (const mode of ['team', 'social', 'solo'] as const) {
  describe(`the rules of ${mode} data`, () => {
    let page: DataPage;
    const people = mode === 'team' ? ON_TEAM : ELSEWHERE;
    beforeAll(async () => {
      page = await pageFor(mode);
    });

    for (const [action, rows] of Object.entries(TABLE[mode])) {
      test.each(rows)(`let %s ${action}`, async (rule, ...expected) => {
        const address = `${page.address}/${action}_${rule}`;
        await setRules(address, { create: 'user' });
        const others = await Promise.all(people.map((person) => create(writer, address, { for: person })));
        const targets = await Promise.all(
          people.map(async (person, index) => {
            const own = person === 'guest' ? undefined : await create(users[person], address, { of: person });
            return [others[index], ...(own ? [own] : [])].map(({ id }) => id as string);
          }),
        );
        await setRules(address, { [action]: rule });
        const outcomes = await Promise.all(
          people.map(async (person, index) => {
            const found: string[] = [];
            const ids = action === 'create' ? [''] : (targets[index] as string[]);
            for (const id of ids) found.push(await attempt(person, action, address, id));
            return found.join('');
          }),
        );
        expect(outcomes).toEqual(expected);
      });
    }
  });
}

async function attempt(person: Person, action: string, address: string, id: string): Promise<string> {
  const call = callAs(person);
  const body = { data: { changed: true } };
  const one = `${address}/${id}`;
  const statuses: number[] = [];
  const took = async (method: string, path: string, sent?: object) => {
    const answer = await call(method, path, sent === undefined ? {} : { body: sent });
    statuses.push(answer.status);
    return answer;
  };
  if (action === 'read') await took('GET', one);
  if (action === 'create') {
    await took('POST', address, body);
    const { status } = await took('POST', `${address}/batch`, {
      operations: [{ op: 'create', data: {} }],
    });
    // A batch says 200 where a single one says 201.
    statuses[1] = status === 200 ? 201 : status;
  }
  if (action === 'update') {
    await took('PATCH', one, body);
    await took('PUT', one, body);
    await took('POST', `${address}/batch`, { operations: [{ op: 'replace', id, data: {} }] });
  }
  if (action === 'delete') await took('DELETE', one);
  const letters = new Set(statuses.map((status) => LETTERS[status] ?? String(status)));
  return [...letters].join('|');
}

test('the tables have every rule', () => {
  for (const actions of Object.values(TABLE))
    for (const rows of Object.values(actions)) expect(rows.map(([rule]) => rule)).toEqual([...RULES]);
});
