import { describe, expect, test } from 'bun:test';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { ACTIONS, type Action, may, type Verdict } from './access.ts';

/**
 * Verdicts for every mode, role, action and ownership. A row has three letters: for the collection, an own record,
 * and another's record.
 */
const LETTERS: Record<string, Verdict> = {
  y: 'allowed',
  l: 'log in',
  f: 'forbidden',
  n: 'not found',
};

const ROLES = ['nobody', 'stranger', 'viewer', 'member', 'admin', 'owner'] as const;
type Row = [
  role: (typeof ROLES)[number],
  read: string,
  create: string,
  update: string,
  delete_: string,
  define: string,
];

const TABLE: Record<StorageType, Row[]> = {
  solo_data: [
    ['nobody', 'lll', 'lll', 'lll', 'lll', 'lll'],
    ['stranger', 'yyn', 'yyn', 'yyn', 'yyn', 'fff'],
    ['viewer', 'yyn', 'yyn', 'yyn', 'yyn', 'fff'],
    ['member', 'yyn', 'yyn', 'yyn', 'yyn', 'fff'],
    ['admin', 'yyn', 'yyn', 'yyn', 'yyn', 'fff'],
    ['owner', 'yyn', 'yyn', 'yyn', 'yyn', 'yyy'],
  ],
  team_data: [
    ['nobody', 'lll', 'lll', 'lll', 'lll', 'lll'],
    ['stranger', 'fff', 'fff', 'fff', 'fff', 'fff'],
    ['viewer', 'yyy', 'fff', 'fff', 'fff', 'fff'],
    ['member', 'yyy', 'yyf', 'yyf', 'yyf', 'fff'],
    ['admin', 'yyy', 'yyy', 'yyy', 'yyy', 'fff'],
    ['owner', 'yyy', 'yyy', 'yyy', 'yyy', 'yyy'],
  ],
  social_data: [
    ['nobody', 'yyy', 'lll', 'lll', 'lll', 'lll'],
    ['stranger', 'yyy', 'yyf', 'yyf', 'yyf', 'fff'],
    ['viewer', 'yyy', 'yyf', 'yyf', 'yyf', 'fff'],
    ['member', 'yyy', 'yyf', 'yyf', 'yyf', 'fff'],
    ['admin', 'yyy', 'yyf', 'yyf', 'yyf', 'fff'],
    ['owner', 'yyy', 'yyf', 'yyf', 'yyy', 'yyy'],
  ],
};

const ME = 1;
const RECORDS = [undefined, { createdBy: ME }, { createdBy: 2 }];

describe.each(Object.entries(TABLE) as Array<[StorageType, Row[]]>)('%s', (storageType, rows) => {
  test('the table has every role', () => {
    expect(rows.map(([role]) => role)).toEqual([...ROLES]);
  });

  for (const [role, ...cells] of rows) {
    for (const [column, action] of ACTIONS.entries()) {
      test(`${role} ${action}`, () => {
        expect(verdicts(storageType, role, action)).toEqual(
          [...(cells[column] ?? '')].map((letter) => LETTERS[letter] as Verdict),
        );
      });
    }
  }
});

function verdicts(storageType: StorageType, role: Row[0], action: Action): Verdict[] {
  const actor = role === 'nobody' ? undefined : { userId: ME, role: role === 'stranger' ? undefined : role };
  return RECORDS.map((record) => may(actor, action, record, { storageType }));
}
