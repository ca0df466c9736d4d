import type { SCOPE_MEANINGS } from '../../contract/scopes.ts';
import { t } from '../texts/index.ts';

/** The meanings of the contract, in the language of the person. */
const MEANINGS: Readonly<Record<keyof typeof SCOPE_MEANINGS, string>> = {
  'pages:read': t('Read your pages and the messages from their forms'),
  'pages:write': t('Publish, edit and delete pages, with their data; draw previews with your credits'),
  'functions:read': t('Read functions, their code and logs'),
  'functions:write': t('Deploy, call and delete functions, set secrets, run SQL'),
  'solo-data:read': t('Read your private data on pages'),
  'solo-data:write': t('Edit your private data on pages'),
  'team-data:read': t('Read the data of your teams'),
  'team-data:write': t('Edit the data and files of your teams, invite people'),
  'social-data:read': t('Read public data'),
  'social-data:write': t('Write public data in your name'),
  features: t('Use chat, images and other features of pages with your credits'),
  'functions:call': t('Call the functions of the page, which learn who you are'),
  account: t('Create and revoke your tokens, export your data'),
  admin: t('Administer this server'),
};

/** What a scope allows. One that is unknown here is shown by its name. */
export const scopeMeaning = (scope: string) =>
  Object.hasOwn(MEANINGS, scope) ? MEANINGS[scope as keyof typeof MEANINGS] : scope;
