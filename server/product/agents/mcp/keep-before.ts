import { phrase } from '../../../../contract/rules/texts/fill.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { MomentKeeper, PageDirectory } from '../../ports.ts';
import type { Input, Tool, ToolCaller } from './tools/index.ts';

/** The record log knows every change, so that a moment for each of many calls would say nothing more. */
const RECORDS_APART_MS = 60_000;
/** Words of statements that lose something. In a text or a name they cost a look, and keep nothing if nothing changed. */
const LOSING = /\b(?:delete|drop|update|alter|replace)\b/i;

interface KeepContext {
  db: Db;
  pages: Pick<PageDirectory, 'find' | 'resolveRole'>;
  moments: Pick<MomentKeeper, 'keepBefore'>;
  /** The pages that a change of a function of this owner concerns. Null stands for functions without a page. */
  listPagesOfFunction(db: Db, slug: string, ownerId: number): Promise<Array<number | null>>;
  /** The name of the connected app that a token belongs to; undefined if it is another token. */
  readAppName(token: string): Promise<string | undefined>;
}

/** Keeps a moment of the pages whose data a tool is about to change in a way that may be hard to take back. */
export type KeepBefore = (tool: Tool, input: Input, caller: ToolCaller) => Promise<void>;

export function createKeepBefore(context: KeepContext): KeepBefore {
  const { moments, readAppName } = context;
  return async (tool, input, caller) => {
    const { keeps } = tool;
    if (!keeps || !losesSomething(input)) return;
    const found =
      keeps === 'records'
        ? [(await findPageOfRecords(context, input, caller)) ?? null]
        : await context.listPagesOfFunction(context.db, String(input.slug), caller.actor.userId);
    const pages = found.filter((id) => id !== null);
    if (pages.length === 0) return;
    const app = await readAppName(caller.bearer);
    const cause = {
      kind: 'agent' as const,
      by: caller.actor.userId,
      text: app
        ? phrase('Kept before {app} called {tool}.', { app, tool: tool.name })
        : phrase('Kept before an agent called {tool}.', { tool: tool.name }),
    };
    const apart = keeps === 'records' ? { apartMs: RECORDS_APART_MS } : {};
    for (const id of pages) await moments.keepBefore(id, cause, { ifChanged: true, ...apart });
  };
}

/** Whether a call can lose something: a statement with a certain word, or a batch that does more than add records. */
function losesSomething({ sql, operations }: Input): boolean {
  if (typeof sql === 'string') return LOSING.test(sql);
  if (Array.isArray(operations)) return operations.some((operation) => operation?.op !== 'create');
  return true;
}

/** The page, if the caller works on it. The private records of visitors are in no moment. */
async function findPageOfRecords(
  { db, pages }: KeepContext,
  { id, type }: Input,
  { actor }: ToolCaller,
): Promise<number | undefined> {
  if (type === 'solo-data') return undefined;
  const page = await pages.find(db, String(id));
  const role = page && (await pages.resolveRole(db, page, actor));
  return role === undefined || role === 'viewer' ? undefined : page?.id;
}
