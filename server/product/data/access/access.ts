import type { Reach, Rule, RuledAction, Rules } from '../../../../contract/data/collection-rules.ts';
import type { Role } from '../../../../contract/roles.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../../lib/errors.ts';

/** The actions on records, and on the files of a team. */
export const ACTIONS = ['read', 'create', 'update', 'delete', 'define'] as const;
export type Action = (typeof ACTIONS)[number];

export type Verdict = 'allowed' | 'log in' | 'forbidden' | 'not found';

/** A user, and their role on the page's team. */
export interface DataActor {
  userId: number;
  role: Role | undefined;
}

/** What access to a collection depends on: the storage mode of its page, and its own rules. */
interface Governed {
  storageType: StorageType;
  rules?: Rules | undefined;
}

type Owned = { createdBy: number };

/**
 * Decides who can do what with a page's data. Everything that is not allowed here is denied. Without a record
 * the question is about the collection: can they read it at all, add to it, or define its schema.
 */
export function may(
  actor: DataActor | undefined,
  action: Action,
  record: Owned | undefined,
  governed: Governed,
): Verdict {
  const { storageType, rules } = governed;
  if (!rules || action === 'define') return mayByMode(actor, action, record, storageType);
  // A change returns the record, so only those who can read it can change it.
  if (action === 'update' || action === 'delete') {
    const verdict = may(actor, 'read', record, governed);
    if (verdict !== 'allowed') return verdict;
  }
  const rule = rules[action];
  return rule
    ? mayByRule(actor, action, record, storageType, rule)
    : mayByMode(actor, action, record, storageType);
}

function mayByMode(
  actor: DataActor | undefined,
  action: Action,
  record: Owned | undefined,
  storageType: StorageType,
): Verdict {
  if (action === 'read' && storageType === 'social_data') return 'allowed';
  if (!actor) return 'log in';
  const isOwn = record === undefined || record.createdBy === actor.userId;
  if (action === 'define') return actor.role === 'owner' ? 'allowed' : 'forbidden';

  switch (storageType) {
    case 'solo_data':
      // Do not reveal that someone else has such a record.
      return isOwn ? 'allowed' : 'not found';
    case 'social_data':
      return isOwn || (action === 'delete' && actor.role === 'owner') ? 'allowed' : 'forbidden';
    case 'team_data':
      return mayOnTeam(actor.role, action, isOwn) ? 'allowed' : 'forbidden';
  }
}

/** The verdict of a rule, which replaces that of the mode, but never opens someone's solo data to others. */
function mayByRule(
  actor: DataActor | undefined,
  action: Action,
  record: Owned | undefined,
  storageType: StorageType,
  rule: Rule,
): Verdict {
  const isSolo = storageType === 'solo_data';
  // Writing always needs a login: a record has an author.
  if (!actor) return rule === 'anyone' && action === 'read' && !isSolo ? 'allowed' : 'log in';
  const isOwn = record === undefined || record.createdBy === actor.userId;
  if (isSolo && !isOwn) return 'not found';
  const { role } = actor;
  if (role === 'owner') return 'allowed';
  switch (rule) {
    case 'anyone':
    case 'user':
      return 'allowed';
    case 'author':
      if (isOwn) return 'allowed';
      return action === 'read' ? 'not found' : 'forbidden';
    case 'member':
      return role === 'member' || role === 'admin' ? 'allowed' : 'forbidden';
    case 'admin':
      return role === 'admin' ? 'allowed' : 'forbidden';
    case 'owner':
      return 'forbidden';
  }
}

function mayOnTeam(role: Role | undefined, action: Action, isOwn: boolean): boolean {
  switch (role) {
    case 'owner':
    case 'admin':
      return true;
    case 'member':
      return action === 'read' || isOwn;
    case 'viewer':
      return action === 'read';
    default:
      return false;
  }
}

/** The actions that a person can do with a collection, if the record does not matter. */
export function listActions(actor: DataActor | undefined, governed: Governed): Set<Action> {
  return new Set(ACTIONS.filter((action) => may(actor, action, undefined, governed) === 'allowed'));
}

/** A record of another user: no user has this id. */
const SOMEBODY_ELSE = { createdBy: 0 };

/** The records that a person can do an action on: none, only their own, or all. */
export function findReach(actor: DataActor | undefined, action: RuledAction, governed: Governed): Reach {
  if (may(actor, action, undefined, governed) !== 'allowed') return 'none';
  if (action === 'create') return 'all';
  return may(actor, action, SOMEBODY_ELSE, governed) === 'allowed' ? 'all' : 'own';
}

/** Fails if `may` does not allow an action. */
export function demand(
  verdict: Verdict,
  action: Action,
  what: 'record' | 'file',
  rules?: Rules | undefined,
): void {
  switch (verdict) {
    case 'allowed':
      return;
    case 'log in':
      throw new AppError(
        'UNAUTHORIZED',
        'Log in first. A program sends a token: Authorization: Bearer <token>.',
      );
    case 'not found':
      throw notFound(what === 'file' ? 'This file was not found.' : 'This record was not found.');
    case 'forbidden':
      throw forbidden(action, what, rules);
  }
}

/** Fails if a user must not do an action with a team's files, or with one of them. */
export function demandFileAccess(
  actor: DataActor,
  action: 'read' | 'create' | 'delete',
  file?: { createdBy: number },
): void {
  demand(may(actor, action, file, { storageType: 'team_data' }), action, 'file');
}

function forbidden(action: Action, what: 'record' | 'file', rules: Rules | undefined): AppError {
  const rule = action === 'define' ? undefined : rules?.[action];
  if (rule && action !== 'define') {
    const { text } = RULED[action];
    return new AppError('FORBIDDEN', text, { people: PEOPLE[rule] });
  }
  const { text } = what === 'file' && action !== 'define' ? FILE_REFUSALS[action] : REFUSALS[action];
  return new AppError('FORBIDDEN', text);
}

const RULED: Record<RuledAction, Text> = {
  read: phrase(
    'By the rules of this collection, only {people} can read its records. Ask the owner of the page.',
  ),
  create: phrase(
    'By the rules of this collection, only {people} can create its records. Ask the owner of the page.',
  ),
  update: phrase(
    'By the rules of this collection, only {people} can update its records. Ask the owner of the page.',
  ),
  delete: phrase(
    'By the rules of this collection, only {people} can delete its records. Ask the owner of the page.',
  ),
};

const PEOPLE: Record<Rule, Text> = {
  anyone: phrase('people who are logged in'),
  user: phrase('people who are logged in'),
  member: phrase('members of the team'),
  author: phrase('the author of a record and the owner of the page'),
  admin: phrase('admins of the team and the owner of the page'),
  owner: phrase('the owner of the page'),
};

const REFUSALS: Record<Action, Text> = {
  read: phrase('Only the team of this page can read its records. Ask its owner for an invite.'),
  create: phrase('You need the role of member to add records to this page. Ask its owner.'),
  update: phrase(
    'You cannot change this record: someone else created it. Ask them, or an admin of the page.',
  ),
  delete: phrase(
    'You cannot delete this record: someone else created it. Ask them, or an admin of the page.',
  ),
  define: phrase('Only the owner of the page can set a schema. Ask them.'),
};

const FILE_REFUSALS: Record<RuledAction, Text> = {
  read: phrase('Only the team of this page can read its files. Ask its owner for an invite.'),
  create: phrase('You need the role of member to add files to this page. Ask its owner.'),
  update: phrase('You cannot change this file: someone else created it. Ask them, or an admin of the page.'),
  delete: phrase('You cannot delete this file: someone else created it. Ask them, or an admin of the page.'),
};
