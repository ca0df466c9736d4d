import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Empty, lazy } from '../ui/index.ts';
import { PageFrame } from './frame.tsx';
import { PageList } from './list/index.tsx';
import { NewPageScreen } from './new/index.tsx';

const ID = /^[1-9]\d{0,9}$/;
/** `/pages/build/<id>` shows how a page is made from a description. Without a page, it leads to a new one. */
const BUILD = 'build';
/** `/pages/import` imports what was made elsewhere. */
const IMPORT = 'import';
const ImportScreen = lazy(() => import('./import/index.tsx').then((file) => file.ImportScreen));
const BuildScreen = lazy(() => import('./builder/index.tsx').then((file) => file.BuildScreen));

/** The page screens. `parts` are the parts of the path after `/pages`. */
export function PagesScreens({ parts }: { parts: string[] }) {
  const [id, ...rest] = parts;
  if (id === undefined) return <PageList />;
  if (id === 'new' && rest.length === 0) return <NewPageScreen />;
  if (id === BUILD && rest.length === 0) return <BuildScreen id={undefined} />;
  if (id === BUILD && rest.length === 1 && ID.test(rest[0] ?? ''))
    return <BuildScreen id={Number(rest[0])} />;
  if (id === IMPORT && rest.length === 0) return <ImportScreen />;
  if (ID.test(id)) return <PageFrame key={id} id={Number(id)} parts={rest} />;
  return (
    <Empty title={t('Page not found')} action={<Link href="/pages">{t('Go to your pages')}</Link>}>
      {t('You have no page at this URL.')}
    </Empty>
  );
}
