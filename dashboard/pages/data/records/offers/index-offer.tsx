import { MAX_INDEXES } from '../../../../../contract/rules/limits.ts';
import { Link } from '../../../../router.tsx';
import { t } from '../../../../texts/index.ts';
import { Button, say } from '../../../../ui/index.ts';
import { addIndex, type CollectionTarget, toDataScreen } from '../../api.ts';
import type { Records } from '../use-records.ts';

/** Offers an index that would make slow lists fast: this one, or lists that others read. */
export function IndexOffer({ target, records }: { target: CollectionTarget; records: Records }) {
  const { unindexed, schema } = records;
  if (unindexed === undefined || !schema || !target.canChangeSchemas) return null;
  const isFull = (schema.indexes?.length ?? 0) >= MAX_INDEXES;
  return (
    <div class="notice">
      <p>
        {t('Lists by {field} are slow, because they read every record. An index makes them fast.', {
          field: unindexed,
        })}
      </p>
      {isFull ? (
        <Link class="button quiet" href={toDataScreen(target, target.collection, 'schema')}>
          {t('Choose other indexes')}
        </Link>
      ) : (
        <Button
          kind="quiet"
          onClick={async () => {
            records.setEntry(await addIndex(target, unindexed));
            say(
              t('The index is being built. Lists by {field} are fast when it is ready.', {
                field: unindexed,
              }),
            );
          }}
        >
          {t('Add index')}
        </Button>
      )}
    </div>
  );
}
