import { useState } from 'preact/hooks';
import { Link } from '../../../../router.tsx';
import { me } from '../../../../session.ts';
import { t } from '../../../../texts/index.ts';
import { Icon, IconButton } from '../../../../ui/index.ts';
import { type CollectionTarget, toDataScreen } from '../../api.ts';
import { hasOneShape } from '../../schema/infer.ts';
import type { Records } from '../use-records.ts';

/** Offers a schema when records look as if they had one. Somebody who dismisses it does not see it again. */
export function SchemaOffer({ target, records }: { target: CollectionTarget; records: Records }) {
  const key = `quire.no-schema.${me.value?.id}.${target.pageId}.${target.type}.${target.collection}`;
  const [isDismissed, setDismissed] = useState(() => read(key));
  const { listing, hasNoSchema, isFiltered } = records;
  const isOffered =
    target.canChangeSchemas &&
    hasNoSchema &&
    !isDismissed &&
    !isFiltered &&
    listing !== undefined &&
    hasOneShape(listing.records.map(({ data }) => data));
  if (!isOffered) return null;
  const dismiss = () => {
    write(key);
    setDismissed(true);
  };
  return (
    <p class="data-offer">
      <Icon name="sparkle" size={18} />
      <span>{t('Your records all have the same fields.')}</span>
      <Link href={`${toDataScreen(target, target.collection, 'schema')}?suggest=1`}>
        {t('Use as schema')}
      </Link>
      <IconButton icon="close" label={t('Dismiss')} onClick={dismiss} />
    </p>
  );
}

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function write(key: string): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    // The storage is full or disabled: the offer comes back.
  }
}
