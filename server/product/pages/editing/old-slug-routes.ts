import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { canonicalSlug } from '../../../../contract/rules/pages/page-slugs.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { deleteOldSlug, listOldSlugs, RESERVED_MS } from '../model/old-slug-store.ts';
import { findPage } from '../model/page-store.ts';

/** Routes of the slugs that a page had before. */
export function oldSlugRoutes({
  db,
  now,
  directory,
}: Pick<ChangeContext, 'db' | 'now' | 'directory'>): Route[] {
  return [
    handle(pageEndpoints.listOldSlugs, async ({ params, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      const rows = await listOldSlugs(db, page.id);
      const until = (leftAt: number | null) => toTimestamp((leftAt ?? now()) + RESERVED_MS);
      return { slugs: rows.map(({ slug, left_at }) => ({ slug, reserved_until: until(left_at) })) };
    }),
    handle(pageEndpoints.giveUpSlug, async ({ params, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'own');
      const slug = canonicalSlug(params.slug);
      if (!(await deleteOldSlug(db, slug, page.id)))
        throw notFound('This earlier slug of the page was not found.');
      return {
        success: true as const,
        message: `/p/${slug} no longer leads to this page. Anyone can use it now.`,
      };
    }),
  ];
}
