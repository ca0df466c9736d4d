import { me } from '../../../session.ts';
import { t } from '../../../texts/index.ts';
import type { CollectionTarget, DataRecord } from '../api.ts';

/** Why the user cannot edit a record; undefined if they can. */
export function whyReadOnly({ type }: CollectionTarget, { createdBy }: DataRecord): string | undefined {
  if (type !== 'social_data' || createdBy?.id === me.value?.id) return undefined;
  return t('Only the author, {name}, can edit this record. As the owner of the page, you can delete it.', {
    name: createdBy?.username ?? '',
  });
}
