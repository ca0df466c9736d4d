import type { AccessMode } from '../../../../contract/pages/access-modes.ts';
import { AppError } from '../../../lib/errors.ts';

/** Requests that could let more people see a branch than the team of its page. */

const BRANCH_PATH = '/api/pages/:id/branches/:name';
const PAGE_PATH = '/api/pages/:id';
const INVITE_PATH = /^\/api\/pages\/:id\/team\/invites?$/;
const CLOSED: readonly AccessMode[] = ['team', 'private'];

interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** Whether a request names a branch by its page. All others name pages by their id. */
export const namesBranch = (path: string) => path === BRANCH_PATH;

/** Whether a request would open the branch that it is about. */
export function opensBranch({ method, path, body }: Asked): boolean {
  if (method === 'POST') return INVITE_PATH.test(path);
  if (method !== 'PATCH' || (path !== PAGE_PATH && path !== BRANCH_PATH)) return false;
  const access = typeof body === 'object' && body !== null && 'access' in body ? body.access : undefined;
  if (typeof access !== 'object' || access === null || !('mode' in access)) return false;
  return !CLOSED.some((mode) => mode === access.mode);
}

/** A branch can have the document and the records of a page that few people see. */
export const onlyPeopleOpen = () =>
  new AppError(
    'PROTECTED',
    'Only a person lets others than the team of its page see this branch, because it has what the page has. Ask them to change who can see it in the settings of the branch.',
  );
