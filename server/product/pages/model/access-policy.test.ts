import { describe, expect, test } from 'bun:test';
import { ACCESS_MODES, type AccessMode } from '../../../../contract/pages/access-modes.ts';
import type { Role } from '../../../../contract/roles.ts';
import { type AccessDenial, isOpen, type PageAccess, refusalFor } from './access-policy.ts';

const NOW = 1_000;

interface Who {
  isLoggedIn: boolean;
  role?: Role;
  hasPass?: boolean;
  isNamed?: boolean;
}

/** Every kind of caller. */
const PEOPLE = {
  stranger: { isLoggedIn: false },
  'stranger with a pass': { isLoggedIn: false, hasPass: true },
  user: { isLoggedIn: true },
  'user with a pass': { isLoggedIn: true, hasPass: true },
  'named person': { isLoggedIn: true, isNamed: true },
  viewer: { isLoggedIn: true, role: 'viewer' },
  member: { isLoggedIn: true, role: 'member' },
  admin: { isLoggedIn: true, role: 'admin' },
  owner: { isLoggedIn: true, role: 'owner' },
} as const satisfies Record<string, Who>;
type Person = keyof typeof PEOPLE;

const YES = undefined;
const login = 'login needed';
const password = 'password needed';
const no = 'not for them';

/** Every mode with every caller, in the order of `PEOPLE`. */
const TABLE: Record<AccessMode, Array<AccessDenial | undefined>> = {
  public: [YES, YES, YES, YES, YES, YES, YES, YES, YES],
  password: [password, YES, password, YES, password, password, password, YES, YES],
  people: [login, login, no, no, YES, no, no, YES, YES],
  team: [login, login, no, no, no, YES, YES, YES, YES],
  private: [login, login, no, no, no, no, no, YES, YES],
};

const page = (mode: AccessMode, more: Partial<PageAccess> = {}): PageAccess => ({
  id: 1,
  owner_id: 1,
  storage_mode: 'team_app',
  is_published: 1,
  access_mode: mode,
  access_stamp: 's',
  access_expires_at: null,
  taken_down_at: null,
  taken_down_reason: null,
  claim_hash: null,
  branch_of: null,
  owner_blocked_at: null,
  ...more,
});

const refused = (asked: PageAccess, who: Who) =>
  refusalFor(
    asked,
    {
      isLoggedIn: who.isLoggedIn,
      role: async () => who.role,
      hasPass: () => who.hasPass === true,
      isNamed: async () => who.isNamed === true,
    },
    NOW,
  );

const BLOCKS: Array<[Partial<PageAccess>, AccessDenial]> = [
  [{ taken_down_at: 1, taken_down_reason: 'spam' }, 'taken down'],
  [{ owner_blocked_at: 1 }, 'owner blocked'],
  [{ taken_down_at: 1, taken_down_reason: 'spam', owner_blocked_at: 1 }, 'taken down'],
  [{ claim_hash: 'x' }, 'unclaimed'],
  [{ claim_hash: 'x', access_expires_at: NOW + 1 }, 'unclaimed'],
  [{ claim_hash: 'x', access_expires_at: NOW }, 'not found'],
  [{ claim_hash: 'x', taken_down_at: 1, taken_down_reason: 'spam' }, 'taken down'],
];

const isManager = (who: Who) => who.role === 'owner' || who.role === 'admin';

test('the table has every mode', () => {
  expect(Object.keys(TABLE)).toEqual([...ACCESS_MODES]);
});

describe.each([...ACCESS_MODES])('a page with access %s', (mode) => {
  test.each(Object.keys(PEOPLE) as Person[])('and a %s', async (name) => {
    const who: Who = PEOPLE[name];
    const expected = TABLE[mode][Object.keys(PEOPLE).indexOf(name)];
    expect(await refused(page(mode), who)).toBe(expected as AccessDenial);
    // A draft does not exist for people without a role. Others need access too.
    const draft = page(mode, { is_published: 0 });
    expect(await refused(draft, who)).toBe((who.role ? expected : 'not found') as AccessDenial);
    // Check at the moment when access expires, and a moment before.
    const expired = isManager(who) ? undefined : 'expired';
    expect(await refused(page(mode, { access_expires_at: NOW }), who)).toBe(expired as AccessDenial);
    expect(await refused(page(mode, { access_expires_at: NOW + 1 }), who)).toBe(expected as AccessDenial);
    // Nobody sees a page that is taken down or unclaimed, or whose owner is blocked; a draft still does not exist for strangers.
    for (const [blocked, reason] of BLOCKS) {
      expect(await refused(page(mode, blocked), who)).toBe(reason);
      const blockedDraft = page(mode, { is_published: 0, ...blocked });
      expect(await refused(blockedDraft, who)).toBe(who.role ? reason : 'not found');
    }
  });
});

test('only a published page for everyone without an end is sent without asking', () => {
  expect(ACCESS_MODES.filter((mode) => isOpen(page(mode)))).toEqual(['public']);
  expect(isOpen(page('public', { is_published: 0 }))).toBe(false);
  expect(isOpen(page('public', { access_expires_at: NOW + 1 }))).toBe(false);
  for (const [blocked] of BLOCKS) expect(isOpen(page('public', blocked))).toBe(false);
});
