import { CHECK_VISITORS, type CheckBody } from '../../../contract/checks/page-check.ts';
import { GRANTABLE, type GrantableRole } from '../../../contract/roles.ts';
import { findDataType } from '../../../contract/rules/storage-modes.ts';
import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { ChecksContext } from './context.ts';
import { makeStandIn, removeStandIn } from './stand-ins.ts';

/** Somebody who visits the page: nobody in particular, its owner, or somebody invented. */
type Visitor = 'nobody' | 'owner' | { name: string; role?: GrantableRole };

/** The visitors of a check, and what they need to be seen as such. */
export interface Visitors {
  /** Makes a page session for each who is not nobody. The browser never gets a login. */
  admit(): Promise<Array<string | undefined>>;
  /** Removes those who were invented. */
  dismiss(): Promise<void>;
}

/** Finds out who shall visit the page. Fails if the caller must not act as one of them. */
export async function findVisitors(
  context: ChecksContext,
  actor: Actor,
  page: PageRow,
  { as, steps = [] }: Pick<CheckBody, 'as' | 'steps'>,
): Promise<Visitors> {
  const names = typeof as === 'string' ? [as] : as;
  const wrong = steps.findIndex(({ by = 1 }) => by > names.length);
  if (wrong >= 0)
    throw new AppError(
      'BAD_REQUEST',
      'steps[{index}].by: must be from 1 to {count}, for one of those in as.',
      {
        index: String(wrong),
        count: names.length,
      },
    );
  const visitors = await Promise.all(names.map((name) => findVisitor(context, actor, page, name)));
  if (visitors.some((visitor) => visitor !== 'nobody')) assertAllowed(context, actor, page);
  const invented: number[] = [];
  return {
    async admit() {
      const sessions: Array<string | undefined> = [];
      for (const visitor of visitors) {
        if (visitor === 'nobody') {
          sessions.push(undefined);
          continue;
        }
        const userId = visitor === 'owner' ? actor.userId : await makeStandIn(context, page, visitor);
        if (visitor !== 'owner') invented.push(userId);
        sessions.push(context.makeCheckSession(userId, page.id, actor.tokenId));
      }
      return sessions;
    },
    async dismiss() {
      for (const userId of invented) await removeStandIn(context, { userId, pageId: page.id });
    },
  };
}

async function findVisitor(
  { db, people }: ChecksContext,
  actor: Actor,
  page: PageRow,
  name: string,
): Promise<Visitor> {
  if (name === 'nobody' || name === 'owner') return name;
  if (name === 'visitor') return { name };
  if (name === actor.username) return 'owner';
  const role = GRANTABLE.find((each) => each === name) ?? (await people.findRole(db, page, name));
  if (page.storage_mode === 'team_app' && role) return { name, role };
  throw new AppError(
    'BAD_REQUEST',
    'as: {name} is not in the team of this page. Use {names}, or the username of a member.',
    { name, names: [...CHECK_VISITORS, ...(page.storage_mode === 'team_app' ? GRANTABLE : [])].join(', ') },
  );
}

/** The page's scripts act as the visitor, and can print all data: a token must be allowed to read the same. */
function assertAllowed({ isolation }: ChecksContext, actor: Actor, page: PageRow): void {
  if (isolation === 'trusted')
    throw new AppError(
      'BAD_REQUEST',
      'as: pages are not isolated on this server (QUIRE_ISOLATION=trusted), so a page is checked as nobody only.',
    );
  const data = findDataType(page.storage_mode);
  const missing = data && [`${data}:read`, `${data}:write`].find((scope) => !actor.scopes.includes(scope));
  if (missing)
    throw new AppError(
      'INSUFFICIENT_SCOPE',
      'To check this page as somebody who is logged in, a token needs the scope {missing}, because the page then uses its data. Get one with that scope, or check the page as nobody.',
      { missing },
      { body: { scope: missing } },
    );
}
