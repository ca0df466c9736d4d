import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { useVisitorsNow } from '../ui/listing/index.ts';

const SHOWN = 4;

/** Who is on the person's pages now. Nothing while nobody is. */
export function Visitors() {
  const now = useVisitorsNow();
  if (!now || now.visitors === 0) return null;
  const more = now.pages.length - SHOWN;
  return (
    <p class="home-now" role="status">
      <span class="now">
        {t('{count|One person is on your pages now|{count} people are on your pages now}', {
          count: now.visitors,
        })}
      </span>
      {now.pages.slice(0, SHOWN).map(({ id, name, visitors }) => (
        <span key={id}>
          <Link href={`/pages/${id}/analytics`}>{name}</Link>
          {now.pages.length > 1 && <span class="hint"> {visitors}</span>}
        </span>
      ))}
      {more > 0 && <span class="hint">{t('{count|and one more|and {count} more}', { count: more })}</span>}
    </p>
  );
}
