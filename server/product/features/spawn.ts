import type { z } from 'zod';
import type { SpawnBody } from '../../../contract/features/features.ts';
import { CreatePage, pageUrl } from '../../../contract/pages/pages.ts';
import type { FeaturesContext } from './context.ts';
import { consentRequired } from './feature-error.ts';
import type { Entered } from './gate.ts';

/** Publishes a page for the visitor: with the document they send, or else a copy of this page. */
export async function spawnPage(context: FeaturesContext, entered: Entered<z.infer<typeof SpawnBody>>) {
  const { page, actor, caller, body } = entered;
  const { name, html_content, description, storage_mode } = body;
  if (!(await context.credits.mayPublish(actor.userId, page.id))) {
    throw consentRequired(context.baseUrl, page.id);
  }
  const made =
    html_content === undefined
      ? await context.publishing.fork(caller, page.id, {
          name,
          ...(description !== undefined && { description }),
          ...(storage_mode && { storage_mode }),
        })
      : await context.publishing.create(
          actor,
          CreatePage.parse({ name, html_content, description, storage_mode }),
        );
  const { id, slug } = made;
  context.used(page.id, 'spawn', 0);
  return { success: true as const, page: { id, name: made.name, slug, url: pageUrl(context.baseUrl, slug) } };
}
