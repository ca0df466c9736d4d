import { fault } from '../../../../contract/errors.ts';
import { TEST_AS_NOBODY, TEST_AS_OWNER, TEST_AS_PARAM } from '../../../../contract/functions/call-tickets.ts';
import { CALLER_HEADERS } from '../../../../contract/functions/callers.ts';
import { badRequest } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';
import { callerHeaders } from './who-calls.ts';

/** Finds a member of a page's team by their name. */
export type FindMember = (db: Db, page: PageRow, username: string) => Promise<{ userId: number } | undefined>;

interface TestCallerContext {
  db: Db;
  pages: Pick<PageDirectory, 'find' | 'resolveRole'>;
  findMember: FindMember;
}

/** Somebody for whom the owner of a function tests it. */
export interface TestCaller {
  headers: Record<string, string>;
  /** The name of a member; undefined for the owner and for nobody. */
  member?: string;
}

/**
 * The visitor of its page for whom a function is tested. The owner writes the function and its data, so they learn and
 * change nothing through a name that they could not otherwise. The call gets the headers and nothing else of that person:
 * no session, no rights, no credits. It says that it is a test.
 */
export async function findTestCaller(
  context: TestCallerContext,
  called: { page_id: number | null; owner_id: number | null },
  actor: Actor,
  as: string,
): Promise<TestCaller> {
  const { db, pages } = context;
  const page = called.page_id === null ? undefined : await pages.find(db, String(called.page_id));
  if (!page || page.owner_id !== called.owner_id)
    throw badRequest([
      fault(TEST_AS_PARAM, 'needs a function that belongs to a page: add its slug to functions of the page'),
    ]);
  const mark = { [CALLER_HEADERS.test]: '1' };
  if (as === TEST_AS_NOBODY) return { headers: { [CALLER_HEADERS.pageId]: String(page.id), ...mark } };
  const isOwner = as === TEST_AS_OWNER || as === actor.username;
  const person = isOwner ? actor : await findPerson(context, page, as);
  const role = await pages.resolveRole(db, page, { userId: person.userId });
  if (role === undefined) throw notMember(as);
  const headers = { ...callerHeaders(page.id, person, role), ...mark };
  return isOwner ? { headers } : { headers, member: as };
}

async function findPerson({ db, findMember }: TestCallerContext, page: PageRow, username: string) {
  const found = await findMember(db, page, username);
  if (!found) throw notMember(username);
  return { userId: found.userId, username };
}

const notMember = (name: string) =>
  badRequest([
    fault(
      TEST_AS_PARAM,
      'must be owner, nobody or the username of a member of the page’s team, and not {name}',
      {
        name: JSON.stringify(name),
      },
    ),
  ]);
