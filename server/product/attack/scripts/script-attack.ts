import { LEFT_REASONS } from '../../../../contract/attack/words.ts';
import { dashed, findStorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Text } from '../../../../contract/rules/texts/fill.ts';
import type { Actors } from '../actors.ts';
import type { Copy } from '../context.ts';
import { isOk } from '../data-ways.ts';
import { fillRecord, type RecordPage } from '../fill-record.ts';
import type { Findings } from '../findings.ts';
import { Invention } from '../source/invent.ts';
import { fillIn, hasLinkSink, hasSink } from '../source/read-source.ts';
import { listCallPlaces, listRecordPlaces, Planting } from './plant.ts';

const MAX_CALLS = 40;
const MAX_COLLECTIONS = 8;
const MAX_CLICKS = 2;

interface CheckReport {
  console?: Array<{ text: string }>;
}

/**
 * Writes scripts into every text that a visitor can store, and opens the page in a browser, in a box, as somebody else.
 * What ran there says so. Without a place where text becomes HTML or an address, no browser is started. Returns what was
 * not tried.
 */
export async function attackScripts(
  actors: Actors,
  copy: Copy,
  page: RecordPage,
  findings: Findings,
): Promise<Text[]> {
  const { text } = page.source;
  const becomes = { isHtml: hasSink(text), isLink: hasLinkSink(text) };
  if (!becomes.isHtml && !becomes.isLink) return [];
  const planting = new Planting(becomes);
  await plantRecords(actors, page, planting);
  await plantByFunctions(actors, copy, page, planting);
  const { planted, links, left } = planting;
  if (planted.length === 0) return left;
  // A link runs what is in it only when it is clicked, and each click needs a visit of its own.
  const clicks = links.slice(0, MAX_CLICKS).map((name) => [{ click: { role: 'link', name } }]);
  for (const steps of [[], ...clicks]) {
    const reason = await visit(actors, page, steps, planting, findings);
    if (reason) return [...left, reason];
  }
  return left;
}

/** Opens the page and reads which scripts ran. Returns why it could not. */
async function visit(
  actors: Actors,
  { pageId, mode }: RecordPage,
  steps: object[],
  { planted }: Planting,
  findings: Findings,
): Promise<Text | undefined> {
  const as = mode === 'team_app' ? 'viewer' : 'visitor';
  const seen = await actors.send('owner', 'POST', `/api/pages/${pageId}/check`, {
    as,
    ...(steps.length > 0 && { steps }),
  });
  if (seen.status === 501) return LEFT_REASONS.noBrowser;
  if (seen.status !== 200) return LEFT_REASONS.notOpened;
  const { console: lines = [] } = seen.json as CheckReport;
  for (const { says, name, request } of planted) {
    const hasRun = lines.some(({ text }) =>
      /^\d+$/.test(says) ? text.trim() === says : text.includes(says),
    );
    if (!hasRun) continue;
    const response = `The script ran when somebody else opened the page (console: ${says})`;
    findings.add('stored-script', { name, who: 'stranger', proof: { request, response } });
  }
  return undefined;
}

async function plantRecords(actors: Actors, page: RecordPage, planting: Planting): Promise<void> {
  const type = findStorageType(page.mode);
  if (!type || type === 'solo_data') return;
  const names = [...new Set([...page.schemas.keys(), ...page.source.collections])].slice(0, MAX_COLLECTIONS);
  for (const name of names) {
    const path = `/api/pages/${page.pageId}/${dashed(type)}/${encodeURIComponent(name)}`;
    const made = await fillRecord(actors, path, page, name);
    // A collection that takes nothing was named when its rules were tried.
    if (!made) continue;
    await planting.plant({
      ...{ name, body: made.data, mark: made.invention.mark },
      places: listRecordPlaces(made.data, page.schemas.get(name)),
      send: (data) => actors.send(made.by, 'POST', path, { data }),
    });
  }
}

async function plantByFunctions(
  actors: Actors,
  copy: Copy,
  { source }: RecordPage,
  planting: Planting,
): Promise<void> {
  const slugs = new Map(copy.functions.map(({ name, slug }) => [name, slug]));
  for (const { name, parameters } of source.calls.slice(0, MAX_CALLS)) {
    const slug = slugs.get(name);
    if (slug === undefined) continue;
    const invention = new Invention();
    const body = fillIn(parameters, invention);
    const places = listCallPlaces(parameters, body);
    const send = (each: object) => actors.send('stranger', 'POST', `/api/functions/${slug}`, each);
    // A function that refuses the call as it is was named when its calls were tried.
    if (places.length === 0 || !isOk(await send(body))) continue;
    await planting.plant({ name, body, mark: invention.mark, places, send });
  }
}
