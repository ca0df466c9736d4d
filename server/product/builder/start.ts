import type { Build } from '../../../contract/agents/builder.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { MAX_BUILDER_MINUTES } from '../../../contract/rules/builder-limits.ts';
import { ACCOUNT_SCOPE, FEATURES_SCOPE } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import { requireApi } from '../../platform/http/index.ts';
import type { BuilderCaller, BuilderContext, Exchange } from './context.ts';
import { firstMessages } from './prompt.ts';
import type { Run } from './run.ts';
import { beginRun, endRun } from './store.ts';

/** How much longer a run blocks its page if its server was lost. */
const GRACE_MS = 60_000;
const MAX_NAME = 60;
const MAX_NOTE_LETTERS = 100;

interface Page {
  id: number;
  name: string;
  slug: string;
}

interface Wanted {
  caller: BuilderCaller;
  /** Aborts when the reader leaves. */
  leaving: AbortSignal;
  /** Aborts when somebody stops the run. */
  stopping: AbortSignal;
}

/** Fails unless the token may spend credits: a token of a login, or one with a limit. */
export function assertMaySpend({ actor }: BuilderCaller): void {
  if (actor.scopes.includes(ACCOUNT_SCOPE) || actor.scopes.includes(FEATURES_SCOPE)) return;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    'The builder spends your credits. Use a token with the scope {scope} and a creditLimit.',
    { scope: FEATURES_SCOPE },
    { body: { scope: FEATURES_SCOPE } },
  );
}

/** Makes an unpublished page to build. Its name is the beginning of the description. */
export async function makePage(context: BuilderContext, wanted: Wanted, prompt: string): Promise<Page> {
  const line = prompt.trim().split(/\n/)[0] ?? '';
  const name = Array.from(line).slice(0, MAX_NAME).join('').trim();
  const title = name.replace(/[<>&]/g, ' ');
  const body = {
    name,
    html_content: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body></body>\n</html>\n`,
    is_published: false,
  };
  const exchange = { caller: wanted.caller, signal: wanted.leaving };
  return (await requireApi(context, exchange, pageEndpoints.createPage, { body })).page;
}

/** Begins a run on a page of the caller, with its draft and the thread so far. */
export async function startRun(
  context: BuilderContext,
  wanted: Wanted,
  page: Page,
  body: Build,
  isNewPage: boolean,
): Promise<Run> {
  const { caller, leaving, stopping } = wanted;
  const runMs = MAX_BUILDER_MINUTES * 60_000;
  const id = crypto.randomUUID();
  const now = context.now();
  const { userId } = caller.actor;
  await beginRun(context.db, { pageId: page.id, userId, run: id, now, expiresAt: now + runMs + GRACE_MS });
  const time = AbortSignal.timeout(runMs);
  const prepared = await prepare(context, { caller, signal: leaving }, page.id, body).catch(
    async (error: unknown) => {
      await endRun(context.db, id);
      throw error;
    },
  );
  return {
    id,
    caller,
    page: { id: page.id, name: page.name, slug: page.slug },
    isNewPage,
    ...prepared,
    isNewDraft: body.draft === undefined,
    prompt: body.prompt,
    signal: AbortSignal.any([leaving, stopping, time]),
    isLeft: () => leaving.aborted,
    isOver: () => time.aborted,
    hasWritten: false,
    isUnchecked: false,
    fixes: 0,
    functions: new Set(),
    calls: 0,
    said: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    paid: 0,
    balance: undefined,
  };
}

/** Prepares the draft with the editor's document, and reads the thread and adds the description to it. */
async function prepare(
  context: BuilderContext,
  exchange: Exchange,
  pageId: number,
  { prompt, draft, html_content }: Build,
): Promise<Pick<Run, 'draft' | 'messages'>> {
  const params = { id: pageId };
  const { messages } = await requireApi(context, exchange, pageEndpoints.listPageMessages, { params });
  const fields = html_content === undefined ? {} : { html_content };
  const saved =
    draft === undefined
      ? await requireApi(context, exchange, draftEndpoints.createDraft, {
          params,
          body: { note: makeNote(prompt), ...fields },
        })
      : await requireApi(context, exchange, draftEndpoints.updateDraft, {
          params: { ...params, draft },
          body: fields,
        });
  await requireApi(context, exchange, pageEndpoints.addPageMessage, {
    params,
    body: { role: 'user', content: prompt },
  });
  const { id, revision } = saved.draft;
  return { draft: { id, revision }, messages: firstMessages(messages, prompt) };
}

const makeNote = (prompt: string) =>
  Array.from(prompt.trim().replace(/\s+/g, ' ')).slice(0, MAX_NOTE_LETTERS).join('');
