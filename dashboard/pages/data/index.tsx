import { useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Empty } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { SamplesNotice } from '../samples.tsx';
import { findDataTarget } from './api.ts';
import { CollectionsScreen } from './collections.tsx';
import { RecordsScreen } from './records/index.tsx';
import { SchemaScreen } from './schema/index.tsx';

/** The data of a page. `parts` are the parts of the path after `/pages/:id/data`. */
export function DataScreen(props: { page: PageDetail; parts: string[] }) {
  const [round, setRound] = useState(0);
  return (
    <>
      <SamplesNotice pageId={props.page.id} onRemoved={() => setRound(round + 1)} />
      <Data key={round} {...props} />
    </>
  );
}

function Data({ page, parts }: { page: PageDetail; parts: string[] }) {
  const target = findDataTarget(page);
  if (!target) return <NoData page={page} />;
  const [collection, part] = parts;
  if (collection === undefined) return <CollectionsScreen target={target} />;
  const here = { ...target, collection };
  if (part === undefined) return <RecordsScreen key={collection} target={here} />;
  if (part === 'schema') return <SchemaScreen key={collection} target={here} />;
  return (
    <Empty
      title={t('Not found')}
      action={<Link href={`/pages/${page.id}/data`}>{t('Go to the collections')}</Link>}
    >
      {t('There is no screen at this URL.')}
    </Empty>
  );
}

function NoData({ page }: { page: PageDetail }) {
  return (
    <Empty
      title={t('This page stores no data')}
      action={
        <Link class="button quiet" href={`/pages/${page.id}/settings`}>
          {t('Choose a storage mode')}
        </Link>
      }
    >
      {t('It can, for each visitor alone, for a team, or for everyone.')}
    </Empty>
  );
}
