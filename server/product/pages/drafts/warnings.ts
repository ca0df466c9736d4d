import { FINDING_WORDS } from '../../../../contract/attack/words.ts';
import { translatable } from '../../../../contract/errors.ts';
import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { Manifest } from '../files/manifest.ts';
import { readManifest } from '../files/store.ts';
import type { DraftRow } from '../model/draft-store.ts';
import type { DraftContext } from './find.ts';

/** What was saved in a draft. */
interface Saved {
  html?: string | undefined;
  /** The files beside the document that are new or different. */
  newFiles?: Manifest;
}

/**
 * The warnings about what was saved in a draft, which has files of its own, and what an attack has found on the page as it
 * is.
 */
export async function warningsAbout(
  { db, directory, attacks, warnings }: Pick<DraftContext, 'db' | 'directory' | 'attacks' | 'warnings'>,
  actor: Actor,
  draft: DraftRow,
  { html, newFiles }: Saved,
): Promise<PageWarning[]> {
  const files = {
    read: () => readManifest(db, draft.manifest_id),
    path: `/api/pages/${draft.page_id}/drafts/${draft.id}/files`,
  };
  return [
    ...(html === undefined ? [] : await warnings.find(html, actor.userId, draft.page_id, files)),
    ...(newFiles ? await warnings.findInFiles(newFiles, actor.userId, draft.page_id, files) : []),
    ...(await warningsOfAttack(attacks, await directory.find(db, String(draft.page_id)), actor)),
  ];
}

/** What is serious, if the version that was attacked is the current one. Others than the owner learn only how much. */
async function warningsOfAttack(
  attacks: DraftContext['attacks'],
  page: PageRow | undefined,
  { userId }: Actor,
): Promise<PageWarning[]> {
  const last = page && (await attacks.readLast(page));
  if (last?.version !== page?.version) return [];
  const serious = last?.findings.filter(({ severity, meant }) => severity === 'high' && !meant) ?? [];
  if (serious.length > 0 && userId !== page?.owner_id)
    return [
      {
        code: 'ATTACKED',
        ...translatable(
          'An attack on version {version}, which is published, has found {count|1 serious problem|{count} serious problems}. Only the owner of the page can look at it.',
          { version: String(page?.version), count: serious.length },
        ),
      },
    ];
  return serious.map(({ kind, name, fields }) => ({
    code: 'ATTACKED',
    ...translatable('An attack on version {version}, which is published, has found: {title}', {
      version: String(page?.version),
      title: { ...FINDING_WORDS[kind].title, values: { name, fields } },
    }),
  }));
}
