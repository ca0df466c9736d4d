import { Link } from '../../router.tsx';
import { Empty } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { placeOf } from './api.ts';
import { CollectionsScreen } from './collections.tsx';
import { RecordsScreen } from './records/index.tsx';
import { SchemaScreen } from './schema/index.tsx';

/** What a page keeps for its visitors; `parts` is the address behind `/pages/:id/data`. */
export function DataScreen({ page, parts }: { page: PageDetail; parts: string[] }) {
  const place = placeOf(page);
  if (!place) return <NoData page={page} />;
  const [collection, part] = parts;
  if (collection === undefined) return <CollectionsScreen place={place} />;
  const here = { ...place, collection };
  if (part === undefined) return <RecordsScreen key={collection} place={here} />;
  if (part === 'schema') return <SchemaScreen key={collection} place={here} />;
  return (
    <Empty title="Nothing here" action={<Link href={`/pages/${page.id}/data`}>Go to the collections</Link>}>
      This address leads to no part of the data.
    </Empty>
  );
}

function NoData({ page }: { page: PageDetail }) {
  return (
    <Empty
      title="This page keeps no data"
      action={
        <Link class="button quiet" href={`/pages/${page.id}/settings`}>
          Choose a storage mode
        </Link>
      }
    >
      In the storage mode “page” nothing is kept for visitors. As a solo app each visitor has private data, as
      a team app a team shares it, and as a social app everybody can read it. You can change that in the
      settings.
    </Empty>
  );
}
