import { dataTools } from './data-tools.ts';
import type { Definition } from './definition.ts';
import { functionTools } from './function-tools.ts';
import { pageTools } from './page-tools.ts';
import { domainTools } from './sites/domain-tools.ts';
import { draftTools } from './sites/draft-tools.ts';
import { fileTools } from './sites/file-tools.ts';
import { teamTools } from './team-tools.ts';

/** All tools. */
export const DEFINITIONS: Definition[] = [
  {
    name: 'whoami',
    title: 'Who am I',
    description: 'The account behind the token: id, username, credits.',
    method: 'GET',
    path: '/api/auth/me',
    effect: 'read',
  },
  ...pageTools,
  ...draftTools,
  ...fileTools,
  ...domainTools,
  ...functionTools,
  ...dataTools,
  ...teamTools,
];
