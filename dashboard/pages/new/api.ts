import { templateEndpoints } from '../../../contract/templates/endpoints.ts';
import type { PublishTemplate } from '../../../contract/templates/templates.ts';
import { call } from '../../api.ts';
import { language } from '../../texts/index.ts';
import type { CreatedPage } from '../api.ts';

export const listTemplates = async (signal: AbortSignal) =>
  (await call(templateEndpoints.listTemplates, { query: { language }, signal })).templates;

/** What to do next with a page that was made from a template. */
export const listNextSteps = async (key: string, signal: AbortSignal) =>
  (await call(templateEndpoints.getTemplate, { params: { key }, query: { language }, signal })).next;

/** The token goes with every step on the server, and deploying a function can take a while. */
const VALID_FOR_MS = 180_000;

/** Makes a page from a template, in the language of the person. Nothing is left behind if it is aborted. */
export async function publishTemplate(
  key: string,
  wish: Omit<PublishTemplate, 'language'>,
  signal: AbortSignal,
): Promise<CreatedPage['page']> {
  const given = { params: { key }, body: { ...wish, language }, signal, validForMs: VALID_FOR_MS };
  return (await call(templateEndpoints.publishTemplate, given)).page;
}
