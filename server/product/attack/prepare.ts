import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { AttackContext, Copy } from './context.ts';
import { sendAs } from './send.ts';

/** How long a copy stays if the server dies in the middle: longer than an attack takes. */
const COPY_MINUTES = 10;

/** What costs credits is off in the copy. */
const OFF = {
  page_api_ai_enabled: false,
  page_api_image_gen_enabled: false,
  page_api_image_search_enabled: false,
  page_api_image_recognition_enabled: false,
  page_api_spawn_enabled: false,
};

/** Makes a branch with the tables and schemas of an application, and without any of its data. */
export async function prepareCopy(context: AttackContext, page: PageRow, owner: Actor): Promise<Copy> {
  const { db, pages, createThrowaway } = context;
  const order = { data: 'schema', by: page.owner_id, minutes: COPY_MINUTES } as const;
  const copy = await createThrowaway(page, order);
  try {
    // The invented people see it under the same conditions as visitors see the page, and those of a branch like the page
    // that it may become a part of. Those who are invited or know the password count as everybody.
    const seen = page.branch_of === null ? page : await pages.find(db, String(page.branch_of));
    const mode = seen?.access_mode === 'team' ? 'team' : 'public';
    const path = `/api/pages/${copy.page.id}`;
    const { status, text } = await sendAs(context, owner, {
      ...{ method: 'PATCH', path },
      body: { ...OFF, access: { mode } },
    });
    if (status !== 200) throw new Error(`the copy of a page could not be prepared: ${status} ${text}`);
    const changed = await pages.find(db, String(copy.page.id));
    if (!changed) throw new Error('the copy of a page is gone');
    return { ...copy, page: changed };
  } catch (error) {
    await copy.remove();
    throw error;
  }
}
