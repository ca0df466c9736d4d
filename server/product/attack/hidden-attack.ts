import type { AttackReport } from '../../../contract/attack/attack.ts';
import type { Actors, Who } from './actors.ts';
import { isOk } from './data-ways.ts';
import type { Findings } from './findings.ts';
import type { OfferedFunction } from './functions/agent-attack.ts';
import type { AttackedFunction } from './functions/function-attack.ts';
import { shorten } from './send.ts';
import { FEWEST_LETTERS, Invention, isPersonal } from './source/invent.ts';
import { listTexts, listValues } from './source/parameters.ts';
import { fillIn, type Source } from './source/read-source.ts';

/** A line of the matrix of a report. */
type Row = AttackReport['matrix'][number];

/** What only some people may see, and ways around it: functions act with the rights of the page's owner. */
export interface Hidden {
  kind: 'form-inbox' | 'function-data';
  /** The form or the collection. */
  name: string;
  /** Personal data in it, or all texts of a form that asks for none. */
  values: string[];
  /** Who may not see it. */
  from: Who[];
}

const OTHERS = ['nobody', 'other', 'member'] as const;
const MAX_FORMS = 5;
/** Calls of one function. */
const MAX_CALLS = 12;

const toWho = (who: Who) => (who === 'nobody' || who === 'member' ? who : 'stranger');

/** Sends every form as nobody, and tries to read what arrived as somebody else. Returns what is hidden. */
export async function attackForms(
  actors: Actors,
  { pageId, source }: { pageId: number; source: Source },
  findings: Findings,
): Promise<Hidden[]> {
  const hidden: Hidden[] = [];
  if (source.forms.length === 0) return hidden;
  // The owner must not get mail about invented messages.
  await actors.send('owner', 'PATCH', `/api/pages/${pageId}/forms`, { formNotices: false });
  for (const { name, parameters } of source.forms.slice(0, MAX_FORMS)) {
    const invention = new Invention();
    const { mark } = invention;
    const fields: Record<string, unknown> = fillIn(parameters, invention);
    if (Object.keys(fields).length === 0) fields.message = invention.value('message');
    const form = `/api/pages/${pageId}/forms/${encodeURIComponent(name)}`;
    // Messages of invented people are not kept, so nobody sends it, or the owner where nobody can see the page.
    const asNobody = await actors.send('nobody', 'POST', form, fields);
    const sent = isOk(asNobody) ? asNobody : await actors.send('owner', 'POST', form, fields);
    if (!isOk(sent)) continue;
    const from = OTHERS.filter((each) => actors.has(each));
    const personal = listPersonal(fields);
    const values = personal.length > 0 ? personal : findMarked(fields, mark);
    hidden.push({ kind: 'form-inbox', name, values, from: [...from] });
    for (const who of from)
      for (const path of [form, `${form}/export`, `${form}?unread=true`]) {
        const tried = await actors.send(who, 'GET', path);
        if (isOk(tried) && tried.text.includes(mark))
          findings.add('form-inbox', { name, fields: path, who: toWho(who), proof: tried });
      }
  }
  return hidden;
}

const findMarked = (fields: Record<string, unknown>, mark: string) =>
  listTexts(fields)
    .map(({ text }) => text)
    .filter((text) => text.includes(mark));

/** The values in a record that only the person concerned should see, each with the names that lead to it. */
const findPersonal = (fields: Record<string, unknown>) =>
  listValues(fields)
    .map(({ path, value }) => ({ path: path.filter((name) => !/^\d+$/.test(name)), value }))
    // An address of a website is not where somebody lives.
    .filter(({ path, value }) => isPersonal(path.at(-1) ?? '') && !/^https?:/.test(String(value)));

export const listPersonal = (fields: Record<string, unknown>): string[] =>
  findPersonal(fields).flatMap(({ value }) =>
    typeof value === 'string' && value.length >= FEWEST_LETTERS ? [value] : [],
  );

export const listPersonalNames = (fields: Record<string, unknown>): string[] => [
  ...new Set(findPersonal(fields).map(({ path }) => path.join('.'))),
];

/** Stores a file of the team, and tries to read it from outside. Returns who could. */
export async function attackFiles(actors: Actors, pageId: number, findings: Findings): Promise<Row[]> {
  const { mark } = new Invention();
  const base = `/api/pages/${pageId}/team-files`;
  const boundary = `--${mark}`;
  const text = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${mark}.txt"\r\ncontent-type: text/plain\r\n\r\n${mark}\r\n--${boundary}--\r\n`;
  const content = { type: `multipart/form-data; boundary=${boundary}`, text };
  const sent = await actors.send('owner', 'POST', base, undefined, { content });
  const { id } = (sent.json ?? {}) as { id?: unknown };
  if (!isOk(sent)) return [];
  const can: Partial<Record<Who, boolean>> = {};
  for (const who of OTHERS.filter((each) => actors.has(each)))
    for (const path of [base, `${base}/${id}`]) {
      const tried = await actors.send(who, 'GET', path);
      if (!isOk(tried) || !tried.text.includes(mark)) continue;
      can[who] = true;
      if (who !== 'member') findings.add('private-file', { name: path, who: toWho(who), proof: tried });
    }
  const say = (who: Who) => (!actors.has(who) ? '-' : can[who] ? 'yes' : 'no');
  return [{ what: 'read files', nobody: say('nobody'), stranger: say('other'), member: say('member') }];
}

/** Whether functions give somebody what they may not see: those that the page calls, and those that agents can call. */
export async function attackHidden(
  actors: Actors,
  from: { functions: readonly AttackedFunction[]; offered: readonly OfferedFunction[]; source: Source },
  hidden: readonly Hidden[],
  findings: Findings,
): Promise<void> {
  if (hidden.length === 0) return;
  const { functions, offered, source } = from;
  const called = functions.map((each) => ({
    ...each,
    calls: source.calls.filter(({ name }) => name === each.name).map(({ parameters }) => parameters),
  }));
  for (const { name, slug, calls, send } of [...called, ...offered] as OfferedFunction[])
    for (const parameters of calls.slice(0, MAX_CALLS))
      for (const who of OTHERS.filter((each) => actors.has(each))) {
        const body = fillIn(parameters, new Invention());
        const tried = await (send?.(who, body) ?? actors.send(who, 'POST', `/api/functions/${slug}`, body));
        if (!isOk(tried)) continue;
        const isIn = (value: string) => tried.text.includes(value);
        for (const each of hidden.filter((some) => some.from.includes(who) && some.values.some(isIn)))
          findings.add(each.kind, {
            ...(each.kind === 'form-inbox' ? { name: each.name, fields: name } : { name, fields: each.name }),
            who: toWho(who),
            proof: { ...tried, text: shorten(tried.text) },
          });
      }
}
