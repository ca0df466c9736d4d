import { t, translated } from '../../../texts/index.ts';
import type { Change, ChangeKind, Said } from './api.ts';

/** What people read about changes. */

export const say = ({ sentence, values }: Said): string => translated({ text: sentence, values });

export const KIND_WORDS: Record<ChangeKind, string> = {
  file: t('Files'),
  setting: t('Settings'),
  agents: t('Settings'),
  function: t('Functions'),
  collection: t('Schemas and rules'),
  record: t('Records'),
  table: t('Tables'),
  row: t('Rows of tables'),
};

export const ACTION_WORDS = {
  added: [t('Added'), 'good'],
  changed: [t('Changed'), 'plain'],
  deleted: [t('Deleted'), 'bad'],
} as const;

const SETTINGS: Record<string, string> = {
  name: t('Name of the page'),
  description: t('Description'),
  spa: t('App'),
  isolation: t('App'),
  page_api_ai_enabled: t('AI chat'),
  page_api_image_gen_enabled: t('Image generation'),
  page_api_image_search_enabled: t('Image search'),
  page_api_image_recognition_enabled: t('Image recognition'),
  page_api_spawn_enabled: t('Page spawn'),
};

/** What people know a record or a row by: the beginning of its texts and numbers. */
const MAX_NAME = 60;
function nameRecord({ base, branch, main }: Change): string | undefined {
  try {
    const values: unknown = JSON.parse((branch ?? main ?? base)?.text ?? '');
    const shown = Object.values(values ?? {}).filter((value) => /^(string|number)$/.test(typeof value));
    const name = shown.slice(0, 2).join(', ').trim();
    return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name || undefined;
  } catch {
    return undefined;
  }
}

/** What a change is about, and where that is. */
export function describePath(change: Change): { title: string; place: string } {
  const { path, kind } = change;
  const [, first = '', second = '', ...rest] = path.split('/');
  const whole = [first, second, ...rest].filter((part) => part !== '').join('/');
  const last = rest.join('/');
  switch (kind) {
    case 'file':
      return { title: whole, place: '' };
    case 'setting':
      return { title: SETTINGS[first] ?? first, place: '' };
    case 'agents':
      return { title: t('Functions that agents can call'), place: '' };
    case 'function':
      return { title: sayPart(second, last), place: first };
    case 'collection':
      return { title: last === 'rules' ? t('Rules') : t('Schema'), place: second };
    case 'record':
      return { title: nameRecord(change) ?? last, place: second };
    case 'table':
      return describeSchema(first, rest.map(decode));
    case 'row': {
      const [table = '', ...key] = rest.map(decode);
      return { title: nameRecord(change) ?? (key.join('/') || t('All rows')), place: `${first}/${table}` };
    }
  }
}

/** `tables/people/columns/age` is the column `age` of the table `people`. */
function describeSchema(name: string, [, table = '', , part]: string[]): { title: string; place: string } {
  return part === undefined ? { title: table, place: name } : { title: part, place: `${name}/${table}` };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function sayPart(part: string, path: string): string {
  if (part === '') return t('The whole function');
  if (part === 'files') return path;
  const parts: Record<string, string> = {
    code: t('Code'),
    name: t('Name'),
    description: t('Description'),
    schedules: t('Schedules'),
  };
  return parts[part] ?? part;
}

/** Who changed it. */
export function saySide({ side, conflict }: Pick<Change, 'side' | 'conflict'>): string {
  if (conflict) return t('on both, differently');
  if (side === 'both') return t('on both');
  return side === 'branch' ? t('on the branch') : t('on the page');
}

/** `12 on the branch, 3 on the page`, without what there is not. */
export function sayCounts({ branch, main }: { branch: number; main: number }): string {
  const said = [
    branch > 0 && t('{count|1 change|{count} changes} on the branch', { count: branch }),
    main > 0 && t('{count|1 change|{count} changes} on the page', { count: main }),
  ].filter((part) => part !== false);
  return said.join(', ');
}
