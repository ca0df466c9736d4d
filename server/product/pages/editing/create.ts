import type { CreatePage } from '../../../../contract/pages/pages.ts';
import { MAX_PAGE_FUNCTIONS } from '../../../../contract/rules/limits.ts';
import { slugify } from '../../../../contract/rules/pages/page-slugs.ts';
import { findCalledFunctions } from '../../../../contract/rules/projects/called-functions.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { type PageRow, storageFailure, type Tx } from '../../../platform/storage/index.ts';
import type { PagePasswords } from '../access/attempts.ts';
import { accessColumns, PUBLIC, prepareAccess, saveAccess } from '../access/change.ts';
import { type InvitationContext, mailLink } from '../access/invitations.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { measureHtml } from '../model/measure-html.ts';
import { insertPage, type NewPage } from '../model/slug-store.ts';
import { toColumns } from '../model/switches.ts';
import { insertVersion } from '../model/version-store.ts';
import type { Photographer } from '../pictures/photographer.ts';
import { type AgentFunctionsContext, setAgentFunctions } from './agent-functions.ts';

/** The dependencies of adding a page. */
export type AddContext = Pick<ChangeContext, 'db' | 'now' | 'chargeUsage'> & {
  pictures: Pick<Photographer, 'want'>;
};

export type CreateContext = AddContext &
  InvitationContext &
  AgentFunctionsContext &
  Pick<ChangeContext, 'functions'> & { passwords: PagePasswords };

/** Publishes a new page for the actor, who sent it from this address. */
export async function createPage(
  context: CreateContext,
  actor: Actor,
  body: CreatePage,
  address: string,
): Promise<PageRow> {
  const { html_content: html, access, functions, agent_functions: offered, ...fields } = body;
  const prepared = access && (await prepareAccess(context.passwords, access, address));
  const columns = prepared ? accessColumns(prepared, PUBLIC, { ...fields, branch_of: null }) : PUBLIC;
  const settings = {
    ...columns,
    name: fields.name,
    description: fields.description,
    storage_mode: fields.storage_mode,
    is_published: fields.is_published ? 1 : 0,
    protected: fields.protected ? 1 : 0,
    isolation: JSON.stringify(fields.isolation),
    ...toColumns(fields),
  };
  const page = await addPage(context, actor, html, settings, async (tx, page) => {
    if (functions.length > 0) await context.functions.replace(tx, page, actor, functions);
    if (offered) await setAgentFunctions(context, tx, page, offered);
    const called = fields.is_published ? findCalledFunctions(html, MAX_PAGE_FUNCTIONS) : [];
    if (called.length > 0) await context.functions.addFree(tx, page, actor, called);
    if (!prepared) return;
    const added = await saveAccess(context, tx, page, prepared);
    await mailLink(context, tx, page, { added, sharedBy: actor });
  });
  context.pictures.want(page.id);
  return page;
}

type Settings = Omit<NewPage, 'owner_id' | 'created_at' | 'updated_at'> & {
  /** The slug, if it does not come from the name. */
  slug?: string;
};

/** Adds a page with its first version, and runs `alsoInside` in the same transaction. */
export async function addPage(
  context: Omit<AddContext, 'pictures'>,
  actor: Pick<Actor, 'userId'>,
  html: string,
  { slug, ...settings }: Settings,
  alsoInside: (tx: Tx, page: PageRow) => Promise<void> = async () => undefined,
): Promise<PageRow> {
  const size = measureHtml(html);
  const now = context.now();
  const attempt = () =>
    context.db.transaction().execute(async (tx) => {
      await context.chargeUsage(tx, actor.userId, { pages: 1, bytes: size });
      const values = { ...settings, owner_id: actor.userId, created_at: now, updated_at: now };
      const page = await insertPage(tx, values, slug ?? slugify(settings.name));
      await insertVersion(tx, {
        pageId: page.id,
        version: 1,
        html,
        size,
        manifestId: null,
        authorId: actor.userId,
        now,
      });
      await alsoInside(tx, page);
      return page;
    });
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      // `page-<id>` can be taken between the lookup and the update. The next attempt has another id.
      if (storageFailure(error) !== 'unique violation' || tries === 5) throw error;
    }
  }
}
