import { DatabaseView } from '../database/index.tsx';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { ScreenHead } from '../ui/index.ts';
import { DatabasesList } from './list.tsx';

/** The databases of all functions. `parts` are the parts of the path after `/databases`. */
export function DatabasesScreens({ parts }: { parts: string[] }) {
  const [slug] = parts;
  if (slug === undefined) return <DatabasesList />;
  return (
    <>
      <ScreenHead
        title={slug}
        back={{ href: '/databases', label: t('Databases') }}
        note={<Link href={`/functions/${slug}`}>{t('Open the function')}</Link>}
      />
      <DatabaseView key={slug} slug={slug} base={`/databases/${slug}`} />
    </>
  );
}
