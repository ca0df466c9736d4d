import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import { formEndpoints } from '../../../contract/forms/endpoints.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { findStorageType, type StorageMode } from '../../../contract/rules/storage-modes.ts';
import { callApi } from '../../platform/http/index.ts';
import type { TurnMessage } from '../../platform/providers/index.ts';
import { findVersion, noteChange } from './changed-function.ts';
import type { BuilderContext } from './context.ts';
import { OFFERED, type OfferedTool } from './offered.ts';
import { OWN_TOOLS, type OwnResult } from './own-tools.ts';
import { type Run, toolEvent } from './run.ts';
import { followTitle } from './title.ts';
import type { NumberedCall } from './turn.ts';

/** Tool calls in one turn. Further calls are refused. */
const MAX_CALLS = 8;
const MAX_SUMMARY = 100;

type Results = Extract<TurnMessage, { role: 'tool' }>['results'];

/** Makes the calls of a turn, one after the other, and adds their results to the conversation. */
export async function* makeCalls(
  context: BuilderContext,
  run: Run,
  calls: NumberedCall[],
): AsyncGenerator<BuilderEvent> {
  const results: Results = [];
  for (const [index, call] of calls.entries()) {
    run.signal.throwIfAborted();
    const { id, number, input } = call;
    const name = call.name.slice(0, MAX_SUMMARY);
    const { about } = OFFERED[name] ?? {};
    const summary = summarize(typeof about === 'function' ? about(input ?? {}) : input?.[about ?? '']);
    yield toolEvent(run, { id: number, name, state: 'running', summary });
    const result = index < MAX_CALLS ? await makeCall(context, run, call) : failed('Too many calls at once.');
    yield toolEvent(run, { id: number, name, state: result.isError ? 'failed' : 'done', summary });
    if (result.event) yield result.event;
    if (result.writesDraft && !result.isError) {
      run.hasWritten = true;
      run.isUnchecked = true;
      yield { type: 'draft', draft: run.draft.id, revision: run.draft.revision };
      if (result.document !== undefined) yield* followTitle(context, run, result.document);
    }
    results.push({ id, name: call.name, content: result.text });
  }
  run.messages.push({ role: 'tool', results });
}

async function makeCall(
  context: BuilderContext,
  run: Run,
  { name, input }: NumberedCall,
): Promise<OwnResult> {
  if (!input)
    return failed(
      'The arguments are not a JSON object. If your answer was cut off because it was too long, write less at once.',
    );
  const own = Object.hasOwn(OWN_TOOLS, name) ? OWN_TOOLS[name] : undefined;
  if (own) return own.run(context, run, input);
  const isAllowed = Object.hasOwn(OFFERED, name) && run.limits?.tools.has(name) !== false;
  const offered = isAllowed ? OFFERED[name] : undefined;
  if (!offered) return failed(`There is no tool ${JSON.stringify(name.slice(0, MAX_SUMMARY))} here.`);
  return callOffered(context, run, name, offered, input);
}

async function callOffered(
  context: BuilderContext,
  run: Run,
  name: string,
  { takes, sets, refuse, writesDraft }: OfferedTool,
  input: Record<string, unknown>,
): Promise<OwnResult> {
  const unknown = Object.keys(input).filter((argument) => !takes.includes(argument));
  if (unknown.length > 0)
    return failed(`Not a known argument: ${unknown.slice(0, 10).join(', ').slice(0, 200)}.`);
  const refusal = await refuse?.(context, run, input);
  if (refusal) return failed(refusal);
  const before = name === 'update_function' ? await findVersion(context, run, input) : undefined;
  const { text, data, isError } = await context.service.toolbox.call(
    name,
    { ...input, ...sets?.(run, input) },
    run,
  );
  if (isError) {
    // The next attempt is based on what someone else has saved, which the model is asked to read first.
    run.draft.revision = Number(
      ((data ?? {}) as { currentRevision?: number }).currentRevision ?? run.draft.revision,
    );
    return { text, isError };
  }
  if (name === 'deploy_function') await addToPage(context, run, String(input.slug));
  const event =
    (before !== undefined && (await noteChange(context, run, input, before))) || note(run, name, input, data);
  const document = writesDraft && (await findDocument(context, run, input));
  return {
    text,
    isError,
    writesDraft: writesDraft === true,
    ...(document && { document }),
    ...(event && { event }),
  };
}

/** What a call works on: the text of an argument, or the names in it. */
function summarize(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? Object.keys(value).join(', ') : value;
  return typeof text === 'string' ? text.slice(0, MAX_SUMMARY).toWellFormed() : '';
}

/** The document that was written, for the name of a page that follows its title. */
async function findDocument(
  context: BuilderContext,
  run: Run,
  { html_content: written }: Record<string, unknown>,
): Promise<string | undefined> {
  if (written !== undefined) return String(written);
  if (!run.isNamedByTitle) return undefined;
  const params = { id: run.page.id, draft: run.draft.id };
  const { isOk, body } = await callApi(context, run, draftEndpoints.getDraft, { params });
  return isOk ? body.html_content : undefined;
}

/**
 * Makes a new function belong to the page. It stays alone if the page has another owner, or all that it can have. Through
 * a function of a page that has records or messages, a model could read and change them: there, publishing the draft
 * adds it.
 */
async function addToPage(context: BuilderContext, run: Run, slug: string): Promise<void> {
  const params = { id: run.page.id };
  const { isOk, body } = await callApi(context, run, pageEndpoints.getPage, { params });
  if (!isOk || body.page.is_published || (await mayHoldData(context, run, body.storageMode))) return;
  const functions = [...body.page.functions, slug];
  await callApi(context, run, pageEndpoints.updatePage, { params, body: { functions } });
}

/** Whether people have left something on the page. True if that cannot be found out. */
async function mayHoldData(context: BuilderContext, run: Run, mode: StorageMode): Promise<boolean> {
  const params = { id: run.page.id };
  const forms = await callApi(context, run, formEndpoints.listForms, { params });
  if (!forms.isOk || forms.body.forms.length > 0) return true;
  const type = findStorageType(mode);
  if (!type) return false;
  const { listCollections } = recordEndpoints[type];
  const listed = await callApi(context, run, listCollections, { params });
  return !listed.isOk || listed.body.collections.some(({ recordCount }) => recordCount > 0);
}

/** Records the draft and the functions that a result names in the run. */
function note(
  run: Run,
  name: string,
  input: Record<string, unknown>,
  data: unknown,
): BuilderEvent | undefined {
  if (name === 'deploy_function') {
    run.functions.add(String(input.slug));
    return { type: 'function', slug: String(input.slug) };
  }
  const { draft } = (data ?? {}) as { draft?: { revision?: number } };
  run.draft.revision = draft?.revision ?? run.draft.revision;
  return undefined;
}

const failed = (text: string): OwnResult => ({ text, isError: true });
