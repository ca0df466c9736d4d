import { useEffect } from 'preact/hooks';
import { setSearch } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { Button, say } from '../../../ui/index.ts';
import { type CollectionTarget, type Data, listRecords } from '../api.ts';
import { inferSchema, type Suggestion } from './infer.ts';

const MAX_SAMPLE = 500;
const PAGE = 100;

export interface SuggestedSchema extends Suggestion {
  /** How many records it comes from. */
  sample: number;
  total: number;
}

interface ButtonProps {
  target: CollectionTarget;
  onSuggested: (suggested: SuggestedSchema) => void;
}

/** Infers a schema from the newest records, at once if the URL asks for it. */
export function SuggestButton({ target, onSuggested }: ButtonProps) {
  const suggest = async () => {
    const { records, total } = await readSample(target);
    if (records.length === 0) return say(t('There are no records yet. Add some, then try again.'), 'bad');
    onSuggested({ ...inferSchema(records), sample: records.length, total });
  };
  useEffect(() => {
    if (!new URLSearchParams(location.search).has('suggest')) return;
    // Only once: a reload shows what was saved.
    setSearch(new URLSearchParams(), true);
    suggest().catch((error: Error) => say(error.message, 'bad'));
  }, []);
  return (
    <Button kind="quiet" onClick={suggest}>
      {t('Suggest a schema')}
    </Button>
  );
}

async function readSample(target: CollectionTarget): Promise<{ records: Data[]; total: number }> {
  const records: Data[] = [];
  for (;;) {
    const query = { orderBy: 'created_at', order: 'desc', limit: PAGE, offset: records.length } as const;
    const listing = await listRecords(target, query);
    records.push(...listing.records.map(({ data }) => data));
    if (!listing.hasMore || records.length >= MAX_SAMPLE) return { records, total: listing.total };
  }
}

interface NoticeProps {
  suggestion: SuggestedSchema;
  onDiscard: () => void;
}

/** Says where a suggestion comes from, and that it is not saved. */
export function SuggestionNotice({ suggestion: { sample, total, mixed }, onDiscard }: NoticeProps) {
  return (
    <div class="notice" role="status">
      <p>
        {sample < total
          ? t('Suggested from the newest {sample} of {total} records.', { sample, total })
          : t('{sample|Suggested from 1 record.|Suggested from {sample} records.}', { sample })}{' '}
        {t('Review it, then save it.')}
        {mixed.length > 0 &&
          ` ${t('Left out, because their values have several types or are all empty: {names}.', {
            names: mixed.join(', '),
          })}`}
      </p>
      <Button kind="quiet" onClick={onDiscard}>
        {t('Discard suggestion')}
      </Button>
    </div>
  );
}
