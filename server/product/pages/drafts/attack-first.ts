import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { shareFiles } from '../files/copy.ts';
import { readManifest } from '../files/store.ts';
import { addVersion } from '../model/add-version.ts';
import { type DraftRow, findDraftDocument } from '../model/draft-store.ts';
import { lockPage, updatePage } from '../model/page-store.ts';
import { type DraftContext, type DraftName, findOwnDraft, noDraft } from './find.ts';

/** Attacks a copy of a page with a draft, if its owner wants that. Fails if it finds something serious. */
export async function attackFirst(context: DraftContext, actor: Actor, name: DraftName): Promise<void> {
  const { page, found } = await findOwnDraft(context, actor, name, 'write');
  if (page.attack_first !== 1) return;
  // Only the copy is changed, which belongs to the owner of the page.
  const owner: Actor = { ...actor, userId: page.owner_id };
  const findings = await context.attacks.attackCopy(page, owner, (copy) => putDraft(context, found, copy));
  const serious = findings.filter(({ severity, meant }) => severity === 'high' && !meant);
  const [first] = serious;
  if (!first) return;
  if (actor.userId !== page.owner_id) throw onlyOwnerLooks(serious.length);
  throw new AppError(
    'CONFLICT',
    'An attack on a copy with this draft found something serious, so it is not published: {title}. Change the draft, or turn this off in the settings of the page.',
    { title: first.title },
    { body: { findings: findings.slice(0, MAX_SHOWN) } },
  );
}

/** What is open on a page, with the requests that prove it, is for its owner. */
const onlyOwnerLooks = (count: number) =>
  new AppError(
    'CONFLICT',
    'An attack on a copy with this draft found {count|1 serious problem|{count} serious problems}, so it is not published. Only the owner of the page can look at it: ask them to publish this draft, then they see what it is.',
    { count },
  );

/** Findings in one response. */
const MAX_SHOWN = 20;

/** Makes the document and the files of a draft the next version of a copy of its page. */
async function putDraft(context: DraftContext, draft: DraftRow, copy: PageRow): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const page = await lockPage(tx, copy.id);
    const document = await findDraftDocument(tx, draft.page_id, draft.id);
    if (!page || !document) throw noDraft();
    const manifest = await readManifest(tx, draft.manifest_id);
    const version = await addVersion(context, tx, page, {
      ...{ html: document.html_content, size: draft.size, authorId: page.owner_id },
      manifestId: await shareFiles(context, tx, page, manifest),
    });
    await updatePage(tx, page.id, { version, updated_at: context.now() });
  });
  context.changed(copy.id);
}
