import { afterEach, describe, expect, test } from 'bun:test';
import { look, setLook } from '../../../platform/service-settings/index.ts';
import { isReserved } from './reserved-names.ts';

const original = look();
afterEach(() => setLook(original));

test.each([
  ...['admin', 'administrator', 'quire', 'support', 'root', 'system', 'security', 'abuse', 'postmaster'],
  ...['webmaster', 'help', 'official', 'moderator', 'api', 'www', 'no-reply', 'mailer-daemon'],
  ...[
    'adm1n',
    'admin1',
    '-admin-',
    '__root__',
    'r00t',
    'supp0rt24',
    'a-d-m-i-n',
    'qu1re',
    'adrnin',
    '007admin',
  ],
  ...['quire-support', 'the_admin', 'admin-team', 'official-quire-2'],
  ...['quiresupport', 'QuireAdmin', 'theadmin1', 'officialquireteam', 'administrators'],
])('nobody can take the name %s', (name) => expect(isReserved(name)).toBe(true));

test.each([
  ...['ada', 'owner', 'operator', 'adminton', 'badmin', 'roots', 'rooted', 'rootbeer', 'acquire', 'squire'],
  ...[
    'helper',
    'helpful-ada',
    'apia',
    'support-ada',
    'theo',
    'team',
    'the-team',
    '123',
    '---',
    'team-7',
    'admin-20261117',
    'theteam',
    'helpada',
  ],
])('anyone can take the name %s', (name) => expect(isReserved(name)).toBe(false));

describe('the name of the server', () => {
  test('is reserved, also in the form of a username', () => {
    setLook({ ...original, name: 'Café Müller' });
    for (const name of ['cafe-muller', 'cafemuller', 'cafe_muller_2', 'cafemullersupport', 'quire'])
      expect([name, isReserved(name)]).toEqual([name, true]);
    for (const name of ['cafe', 'muller']) expect([name, isReserved(name)]).toEqual([name, false]);
  });

  test('reserves nothing if no username looks like it', () => {
    setLook({ ...original, name: '🎈' });
    expect(isReserved('---')).toBe(false);
    expect(isReserved('ada')).toBe(false);
  });
});
