import type { Endpoint } from '../../../../contract/endpoint.ts';

const DESCRIPTIONS: Record<string, string> = {
  auth: 'Accounts, tokens and sessions.',
  oauth: 'OAuth: how apps get access, and where they find out.',
  credits: 'Balances, and which pages can spend credits.',
  pages: 'Pages, their versions and files, and who can see them.',
  data: 'Records and files that pages keep, for everyone, for a team or for one person.',
  drafts: 'Drafts of pages.',
  forms: 'Forms of pages, and what people have sent.',
  domains: 'Domains of pages.',
  team: 'The team of a page, and its invites.',
  features: 'What a page offers its visitors: chat and images, paid with credits.',
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

/** Groups of their own for parts of pages, by what comes after `/api/pages/:id/`. */
const PARTS_OF_PAGES: Record<string, string> = {
  'solo-data': 'data',
  'team-data': 'data',
  'social-data': 'data',
  'team-files': 'data',
  samples: 'data',
  drafts: 'drafts',
  forms: 'forms',
  messages: 'forms',
  domains: 'domains',
  team: 'team',
};
const FEATURES = /^page-api-/;

/** The group that an operation belongs to. */
export function chooseTag({ path }: Pick<Endpoint, 'path'>): string {
  const [, first = '', second = '', , part = ''] = path.split('/');
  if (first !== 'api') return ELSEWHERE[first] ?? 'service';
  if (second === 'pages') return FEATURES.test(part) ? 'features' : (PARTS_OF_PAGES[part] ?? 'pages');
  return second === 'openapi.json' ? 'service' : second;
}

/** All groups with their descriptions. */
export function listTags(routes: Endpoint[]): { name: string; description: string }[] {
  return [...new Set(routes.map(chooseTag))].map((name) => ({
    name,
    description: DESCRIPTIONS[name] ?? `Everything below /api/${name}.`,
  }));
}
