import { isDeepStrictEqual } from 'node:util';
import type { Access, NewAccess } from '../../contract/pages/access.ts';
import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import type { PageJson } from '../../contract/pages/page-json.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, UsageError } from '../usage.ts';
import { findPageId, readPage } from './find.ts';

export const ACCESS_OPTIONS: Record<string, Option> = {
  mode: { type: 'string', value: 'mode', summary: 'public, password, people, team or private' },
  password: {
    type: 'string',
    value: 'password',
    summary: 'the password of the mode password; - reads it from standard input',
  },
  person: {
    type: 'string',
    value: 'name',
    multiple: true,
    summary: 'for the mode people: a username or a confirmed e-mail address; can be repeated',
  },
  until: {
    type: 'string',
    value: 'time',
    summary: 'close the page then, such as 2030-01-31T12:00:00Z; or never',
  },
};

/** The new access that the options of a call ask for; undefined if they ask for none. */
export async function readAccessOptions(
  call: Call,
  readPresent: () => Promise<Access>,
): Promise<NewAccess | undefined> {
  const [mode, people, until, given] = [
    call.text('mode'),
    call.texts('person'),
    call.text('until'),
    call.text('password'),
  ];
  if (mode === undefined && (given !== undefined || people.length > 0))
    throw new UsageError('Add --mode, such as --mode password.');
  if (mode === undefined && until === undefined) return undefined;
  const password = given === '-' ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : given;
  return {
    mode: mode ?? (await readPresent()).mode,
    ...(password !== undefined && { password }),
    ...(people.length > 0 && { people }),
    ...(until !== undefined && { expires_at: until === 'never' ? null : until }),
  } as NewAccess;
}

/** Shows who can see a page, or changes it. */
export const pagesAccess: Command = {
  name: 'pages access',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'show or change who can see a page',
  options: { ...ACCESS_OPTIONS, ...SERVER_OPTION },
  notes: 'The owner and the admins of the team always see the page. Without options, nothing changes.',
  async run(call) {
    const api = await connect(call);
    const id = await findPageId(api, call.args[0] ?? '');
    const wanted = await readAccessOptions(call, async () => (await readPage(api, id)).page.access);
    if (wanted) await api.call(pageEndpoints.updatePage, { params: { id }, body: { access: wanted } });
    const { access } = (await readPage(api, id)).page;
    call.out.result({ id, access }, printable(sayAccess(access)));
  },
};

const WHO: Record<string, string> = {
  public: 'Anyone can see the page.',
  password: 'People who know the password can see the page.',
  team: 'The team of the page can see it.',
  private: 'Only the owner and the admins of the team can see the page.',
};

export function sayAccess({ mode, people = [], expires_at }: Access): string {
  const who =
    mode === 'people' ? `These people can see the page: ${people.join(', ')}.` : (WHO[mode] ?? mode);
  return expires_at === undefined ? who : `${who} Access ends at ${expires_at}.`;
}

/** What to send so that the page is for who `page.json` says; undefined if it is. Fields that are left out stay. */
export function findAccessChange(
  wanted: PageJson['access'],
  { id, access: present }: { id: number; access: Access },
): NewAccess | undefined {
  if (!wanted) return undefined;
  const { mode, people, expires_at } = wanted;
  if (mode === 'password' && present.mode !== 'password') {
    throw new CommandError(
      `page.json wants a password, but the page has none. Set one with: quire pages access ${id} --mode password --password -\nThen push again.`,
    );
  }
  const isKept =
    mode === present.mode &&
    (people === undefined || isDeepStrictEqual(normalise(people), normalise(present.people ?? []))) &&
    (expires_at === undefined || parseMoment(expires_at) === parseMoment(present.expires_at ?? null));
  // The server checks the mode.
  return isKept ? undefined : (wanted as NewAccess);
}

/** The server ignores capitals, the order, and names that appear twice. */
const normalise = (people: string[]) => [...new Set(people.map((name) => name.trim().toLowerCase()))].sort();

/** One moment can be written in several time zones. The server refuses what is not a moment. */
const parseMoment = (text: string | null) => (text === null ? null : Date.parse(text));
