import { LEFT_REASONS } from '../../../contract/attack/words.ts';
import type { CollectionSchema } from '../../../contract/data/collection-schema.ts';
import { dashed, findStorageType, type StorageMode } from '../../../contract/rules/storage-modes.ts';
import type { Actors } from './actors.ts';
import type { Copy } from './context.ts';
import { invent } from './data-attack.ts';
import type { Findings } from './findings.ts';
import { Invention, isId, isPersonId } from './source/invent.ts';
import { fillIn, hasSink, type Source } from './source/read-source.ts';

const MAX_TEXTS = 40;
const MAX_COLLECTIONS = 8;

interface ScriptPage {
  mode: StorageMode;
  source: Source;
  schemas: ReadonlyMap<string, CollectionSchema>;
}

interface CheckReport {
  console?: Array<{ text: string }>;
  errors?: unknown[];
}

/**
 * Writes scripts into every text that a visitor can store, and opens the page in a browser, in a box, as somebody else.
 * What ran there says so. Without a place where text becomes HTML, no browser is started.
 */
export async function attackScripts(
  actors: Actors,
  copy: Copy,
  page: ScriptPage,
  findings: Findings,
): Promise<string | undefined> {
  if (!hasSink(page.source.text)) return undefined;
  const planted = new Map<string, { name: string; request: string }>();
  await plantRecords(actors, copy, page, planted);
  await plantByFunctions(actors, copy, page, planted);
  if (planted.size === 0) return undefined;
  const seen = await actors.send('owner', 'POST', `/api/pages/${copy.page.id}/check`, { as: 'visitor' });
  if (seen.status === 501) return LEFT_REASONS.noBrowser.text;
  if (seen.status !== 200) return LEFT_REASONS.notOpened.text;
  const { console: lines = [] } = seen.json as CheckReport;
  for (const [mark, { name, request }] of planted) {
    if (!lines.some(({ text }) => text.includes(`ran ${mark}`))) continue;
    const response = `The script ran when somebody else opened the page (console: ran ${mark})`;
    findings.add('stored-script', { name, who: 'stranger', proof: { request, response } });
  }
  return undefined;
}

type Planted = Map<string, { name: string; request: string }>;

/** A text that is a script if it becomes HTML, in an attribute too. It tells only the console. */
const toScript = (mark: string) => `"'><img src=x onerror="console.error('ran ${mark}')">`;

async function plantRecords(actors: Actors, copy: Copy, page: ScriptPage, planted: Planted): Promise<void> {
  const type = findStorageType(page.mode);
  if (!type || type === 'solo_data') return;
  const names = [...new Set([...page.schemas.keys(), ...page.source.collections])].slice(0, MAX_COLLECTIONS);
  for (const name of names) {
    const { mark } = new Invention();
    const data = withScripts(invent(page, name, new Invention()), mark);
    const path = `/api/pages/${copy.page.id}/${dashed(type)}/${encodeURIComponent(name)}`;
    for (const who of page.mode === 'team_app' ? (['stranger', 'owner'] as const) : (['stranger'] as const)) {
      const tried = await actors.send(who, 'POST', path, { data });
      if (tried.status !== 201) continue;
      planted.set(mark, { name, request: tried.request });
      break;
    }
  }
}

async function plantByFunctions(
  actors: Actors,
  copy: Copy,
  { source }: ScriptPage,
  planted: Planted,
): Promise<void> {
  const slugs = new Map(copy.functions.map(({ name, slug }) => [name, slug]));
  for (const { name, parameters } of source.calls.slice(0, MAX_TEXTS)) {
    const slug = slugs.get(name);
    if (slug === undefined || parameters.size === 0) continue;
    const { mark } = new Invention();
    const filled = fillIn(parameters, new Invention());
    const open = [...parameters].filter(
      ([key, value]) => value === undefined && !isId(key) && !isPersonId(key),
    );
    if (open.length === 0) continue;
    const texts = withScripts(Object.fromEntries(open.map(([key]) => [key, filled[key]])), mark);
    const tried = await actors.send('stranger', 'POST', `/api/functions/${slug}`, { ...filled, ...texts });
    if (tried.status < 400) planted.set(mark, { name, request: tried.request });
  }
}

const withScripts = (data: Record<string, unknown>, mark: string) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? toScript(mark) : value]),
  );
