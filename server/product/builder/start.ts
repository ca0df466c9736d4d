import type { Build } from '../../../contract/agents/builder.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { MAX_BUILDER_MINUTES } from '../../../contract/rules/builder-limits.ts';
import { ACCOUNT_SCOPE, FEATURES_SCOPE } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import { requireApi } from '../../platform/http/index.ts';
import { findBranch } from './branch.ts';
import type { BuilderCaller, BuilderContext, Exchange } from './context.ts';
import { firstMessages } from './prompt.ts';
import type { Run, RunLimits } from './run.ts';
import { beginRun, endRun } from './store.ts';

/** The deadline of what is done before the first turn. */
const PREPARE_MS = 30_000;
const MAX_NAME = 60;
const MAX_NOTE_LETTERS = 100;

interface Page {
  id: number;
  name: string;
  slug: string;
}

interface Wanted {
  id: string;
  caller: BuilderCaller;
  page: Page;
  isNewPage: boolean;
  body: Build;
  /** The name that the last run gave to the page, from the title of its document. */
  givenName: string | undefined;
  /** Functions that earlier runs have deployed for the same draft. */
  earlierFunctions: string[];
  /** What they have changed in functions of a branch. */
  earlierChanges: Run['earlierChanges'];
  limits?: RunLimits | undefined;
  /** Aborts when somebody stops the run. */
  stopping: AbortSignal;
  /** The ids of the runs of this process, if there is no other process. */
  alive: ReadonlySet<string> | undefined;
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
export async function makePage(
  context: BuilderContext,
  caller: BuilderCaller,
  prompt: string,
): Promise<Page> {
  const line = prompt.trim().split(/\n/)[0] ?? '';
  const name = Array.from(line).slice(0, MAX_NAME).join('').trim();
  const title = name.replace(/[<>&]/g, ' ');
  const body = {
    name,
    html_content: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body></body>\n</html>\n`,
    is_published: false,
  };
  const exchange = { caller, signal: AbortSignal.timeout(PREPARE_MS) };
  return (await requireApi(context, exchange, pageEndpoints.createPage, { body })).page;
}

/** Begins a run on a page of the caller, with its draft and the thread so far. */
export async function startRun(context: BuilderContext, wanted: Wanted): Promise<Run> {
  const { id, caller, page, isNewPage, body, limits, stopping, alive } = wanted;
  const { earlierFunctions, earlierChanges } = wanted;
  const runMs = MAX_BUILDER_MINUTES * 60_000;
  const now = context.now();
  await beginRun(context.db, { pageId: page.id, userId: caller.actor.userId, run: id, now, alive });
  const time = AbortSignal.timeout(runMs);
  const began = performance.now();
  const prepared = await prepare(context, wanted).catch(async (error: unknown) => {
    await endRun(context.db, id);
    throw error;
  });
  return {
    id,
    caller,
    page: { id: page.id, name: page.name, slug: page.slug },
    isNewPage,
    ...prepared,
    isNewDraft: body.draft === undefined,
    prompt: body.prompt,
    limits,
    startedAt: now,
    elapsed: () => Math.round(performance.now() - began),
    signal: AbortSignal.any([stopping, time]),
    isOver: () => time.aborted,
    hasWritten: false,
    isUnchecked: false,
    notChecked: undefined,
    fixes: 0,
    functions: new Set(limits?.functions),
    earlierFunctions,
    earlierChanges,
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
  { caller, page, isNewPage, givenName, limits, body: { prompt, draft, html_content } }: Wanted,
): Promise<Pick<Run, 'draft' | 'messages' | 'message' | 'branch' | 'isNamedByTitle'>> {
  const exchange = { caller, signal: AbortSignal.timeout(PREPARE_MS) };
  const params = { id: page.id };
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
  const added = await requireApi(context, exchange, pageEndpoints.addPageMessage, {
    params,
    body: { role: 'user', content: prompt },
  });
  const { id, revision } = saved.draft;
  const isNamedByTitle =
    isNewPage || (givenName === page.name && (await isUnpublished(context, exchange, page.id)));
  return {
    draft: { id, revision },
    messages: firstMessages(messages, prompt),
    message: added.message.id,
    // Limits say themselves which functions can be changed.
    branch: isNewPage || limits ? undefined : await findBranch(context, exchange, page.id),
    isNamedByTitle,
  };
}

async function isUnpublished(context: BuilderContext, exchange: Exchange, id: number): Promise<boolean> {
  const { page } = await requireApi(context, exchange, pageEndpoints.getPage, { params: { id } });
  return !page.is_published;
}

const makeNote = (prompt: string) =>
  Array.from(prompt.trim().replace(/\s+/g, ' ')).slice(0, MAX_NOTE_LETTERS).join('');
