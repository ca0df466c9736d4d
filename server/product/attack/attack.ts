import type { AttackReport, PageAttack } from '../../../contract/attack/attack.ts';
import { ATTACK_SECONDS } from '../../../contract/attack/kinds.ts';
import { LEFT_REASONS } from '../../../contract/attack/words.ts';
import { ENGLISH, type Text } from '../../../contract/rules/texts/fill.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import { withoutThrowawayName } from '../../lib/throwaway-names.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import { Actors, AttackOver } from './actors.ts';
import type { AttackContext, Copy } from './context.ts';
import { attackData, type Row } from './data-attack.ts';
import { Findings } from './findings.ts';
import { listOffered } from './functions/agent-attack.ts';
import { attackFunction, attackFunctions } from './functions/function-attack.ts';
import { attackFiles, attackForms, attackHidden } from './hidden-attack.ts';
import { prepareCopy } from './prepare.ts';
import { findMeantPage, markMeant } from './reports/meant.ts';
import { saveReport } from './reports/report.ts';
import { attackScripts } from './scripts/script-attack.ts';
import { readSource } from './source/read-source.ts';
import { attackSource } from './source-attack.ts';

const SCRIPTS = /\.(html?|m?js)$/i;
const MAX_FILES = 20;

/**
 * Copies a page, invents people and data, and lets these people try what they must not do. Nothing of it reaches the
 * page itself: the copy has records, databases and functions of its own, and is removed at the end.
 */
export async function attackPage(
  context: AttackContext,
  actor: Actor,
  page: PageRow,
  client?: AbortSignal,
): Promise<AttackReport> {
  const { db, now } = context;
  if (page.claim_hash !== null || page.taken_down_at !== null)
    throw new AppError('CONFLICT', 'This page cannot be attacked now: nobody can open it.');
  const startedAt = now();
  // Only the copy is changed, so a protected page and a token for branches do not matter here.
  const { isProgram: _, isForBranches: __, ...rest } = actor;
  const owner: Actor = { ...rest, scopes: [...new Set([...actor.scopes, ...SCOPES])] };
  const copy = await prepareCopy(context, page, owner);
  try {
    const deadline = AbortSignal.timeout(ATTACK_SECONDS * 1000);
    const signal = client ? AbortSignal.any([client, deadline]) : deadline;
    const attack = await run(context, new Actors({ context, copy, owner, signal }), page, copy);
    const findings = await markMeant(db, findMeantPage(page), attack.findings);
    return { ...attack, findings, durationMs: Math.round(now() - startedAt) };
  } finally {
    await copy.remove();
  }
}

/** Attacks a page, and saves what was found unless somebody has cut it off. */
export async function attackAndSave(
  context: AttackContext,
  actor: Actor,
  page: PageRow,
  signal: AbortSignal,
): Promise<PageAttack> {
  const report = await attackPage(context, actor, page, signal);
  const found = { ...report, version: page.version, at: toTimestamp(context.now()) };
  if (!signal.aborted) await saveReport(context, page.id, found);
  return found;
}

async function run(
  context: AttackContext,
  actors: Actors,
  page: PageRow,
  copy: Copy,
): Promise<Omit<AttackReport, 'durationMs'>> {
  const findings = new Findings();
  const matrix: Row[] = [];
  const left: Text[] = [];
  const { storage_mode: mode } = page;
  try {
    await actors.invent(mode === 'team_app');
    // Read in the page itself, which has the names that people know.
    const files = await readFiles(actors, page);
    const source = readSource(files.map(({ text }) => text));
    const read = await context.readSchemas(copy.page.id);
    const schemas = new Map(read.map(({ collection, schema }) => [collection, schema]));
    await attackSource(actors, copy, files, findings);
    const pageId = copy.page.id;
    const target = { pageId, mode, source, schemas };
    const { rows, hidden, left: unfilled } = await attackData(actors, target, findings);
    matrix.push(...rows);
    left.push(...unfilled);
    if (mode === 'team_app') matrix.push(...(await attackFiles(actors, pageId, findings)));
    hidden.push(...(await attackForms(actors, { pageId, source }, findings)));
    const functions = await readFunctions(actors, copy);
    const offered = await listOffered(actors, pageId, functions);
    await attackHidden(actors, { functions, offered, source }, hidden, findings);
    left.push(...(await attackFunctions(actors, functions, source, findings)));
    for (const { calls, ...tool } of offered)
      await attackFunction(
        actors,
        calls.map((parameters) => ({ ...tool, parameters })),
        source,
        findings,
      );
    left.push(...(await attackScripts(actors, copy, target, findings)));
  } catch (error) {
    if (!(error instanceof AttackOver) && !actors.isOver) throw error;
    left.push(LEFT_REASONS.over);
  } finally {
    await actors.dismiss();
  }
  const said = left.map(({ text, values }) => ENGLISH.say(text, values));
  return { findings: findings.list, matrix, left: [...new Set(said)] };
}

/** The document, and scripts beside it. */
async function readFiles(actors: Actors, page: PageRow): Promise<Array<{ name: string; text: string }>> {
  const read = await actors.send('owner', 'GET', `/api/pages/${page.id}`);
  const { page: detail } = read.json as { page: { html_content: string } };
  // As people know it: a copy that is attacked has a name that nobody has seen.
  const slug = withoutThrowawayName(page.slug);
  const files = [{ name: `/p/${slug}`, text: detail.html_content }];
  const listed = await actors.send('owner', 'GET', `/api/pages/${page.id}/files`);
  const { files: all = [] } = (listed.json ?? {}) as { files?: Array<{ path: string }> };
  for (const { path } of all.filter((each) => SCRIPTS.test(each.path)).slice(0, MAX_FILES)) {
    const address = path.split('/').map(encodeURIComponent).join('/');
    const { text } = await actors.send('owner', 'GET', `/api/pages/${page.id}/files/${address}`);
    files.push({ name: `/p/${slug}/${path}`, text });
  }
  return files;
}

async function readFunctions(actors: Actors, { functions }: Copy) {
  const read = [];
  for (const { name, slug } of functions) {
    const { json } = await actors.send('owner', 'GET', `/api/functions/${slug}/code`);
    const { code = '' } = (json ?? {}) as { code?: string };
    read.push({ name, slug, code });
  }
  return read;
}
