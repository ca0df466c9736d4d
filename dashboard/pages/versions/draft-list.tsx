import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Badge, formatAgo, formatBytes, formatMoment } from '../../ui/index.ts';
import { toPageScreen } from '../api.ts';
import type { LinkedDraft } from '../drafts/api.ts';

/** The part of the path that names a draft. */
export const draftPart = (draft: number) => `draft-${draft}`;

interface DraftListProps {
  pageId: number;
  drafts: LinkedDraft[];
  chosen: string | undefined;
}

/** Drafts in the list of versions. */
export function DraftList({ pageId, drafts, chosen }: DraftListProps) {
  return (
    <>
      {drafts.map(({ id, note, updatedAt, size, author }) => (
        <li key={`draft ${id}`}>
          <Link href={toPageScreen(pageId, `versions/${draftPart(id)}`)} current={chosen === draftPart(id)}>
            <span class="top">
              <strong>{t('Draft {id}', { id: String(id) })}</strong>
              <Badge kind="warn">{t('Not live')}</Badge>
            </span>
            {note && <span class="note">{note}</span>}
            <span class="hint" title={formatMoment(updatedAt)}>
              {formatAgo(updatedAt)} · {formatBytes(size)}
              {author && ` · ${author}`}
            </span>
          </Link>
        </li>
      ))}
    </>
  );
}
