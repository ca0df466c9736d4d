import type { Endpoint } from '../../../../contract/endpoint.ts';

const DESCRIPTIONS: Record<string, string> = {
  auth: 'Accounts, tokens and sessions.',
  oauth: 'OAuth: how apps get access, and where they find out.',
  credits: 'Balances, and which pages can spend credits.',
  pages: 'Pages, their versions, data, teams and features.',
  teams: 'The teams you are in.',
  join: 'Invites, for the people who are invited.',
  functions: 'Functions, their code, secrets, logs and databases.',
  imports: 'Moving in from elsewhere: a report first, then publishing.',
  admin: 'For administrators.',
  service: 'The service as a whole.',
};

/** Groups for the few paths outside `/api/`. */
const ELSEWHERE: Record<string, string> = {
  p: 'pages',
  images: 'pages',
  oauth: 'oauth',
  '.well-known': 'oauth',
};

/** The group that an operation belongs to. */
export function chooseTag({ path }: Pick<Endpoint, 'path'>): string {
  const [, first = '', second = ''] = path.split('/');
  if (first !== 'api') return ELSEWHERE[first] ?? 'service';
  return second === 'openapi.json' ? 'service' : second;
}

/** All groups with their descriptions. */
export function listTags(routes: Endpoint[]): { name: string; description: string }[] {
  return [...new Set(routes.map(chooseTag))].map((name) => ({
    name,
    description: DESCRIPTIONS[name] ?? `Everything below /api/${name}.`,
  }));
}
