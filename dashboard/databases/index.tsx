import { DatabaseView } from '../database/index.tsx';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { ScreenHead } from '../ui/index.ts';
import { useFunctionNames } from './function-names.ts';
import { DatabasesList } from './list.tsx';

/** The databases of all functions. `parts` are the parts of the path after `/databases`. */
export function DatabasesScreens({ parts }: { parts: string[] }) {
  const [slug] = parts;
  return slug === undefined ? <DatabasesList /> : <DatabaseScreen slug={slug} />;
}

function DatabaseScreen({ slug }: { slug: string }) {
  const name = useFunctionNames()?.get(slug);
  return (
    <>
      <ScreenHead
        title={name ?? slug}
        back={{ href: '/databases', label: t('Databases') }}
        note={
          <>
            {name && <code>{slug}</code>} <Link href={`/functions/${slug}`}>{t('Open the function')}</Link>
          </>
        }
      />
      <DatabaseView key={slug} slug={slug} base={`/databases/${slug}`} />
    </>
  );
}
