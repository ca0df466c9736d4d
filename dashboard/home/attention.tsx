import type { ComponentChildren } from 'preact';
import type { Home } from '../../contract/accounts/home.ts';
import { STORAGE_WARNINGS } from '../../contract/rules/limits.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Icon, type IconName, Section } from '../ui/index.ts';
import type { Everything } from './api.ts';

/** What was taken down, errors of the last day, and changes that nobody sees yet. Nothing if all is well. */
export function Attention({ home, functions }: Pick<Everything, 'home' | 'functions'>) {
  const { takenDownPages, takenDownFunctions, failingPages, failingFunctions, drafts } = home;
  const lists = [takenDownPages, takenDownFunctions, failingPages, failingFunctions, drafts];
  const sayName = (slug: string) => functions.find((each) => each.slug === slug)?.displayName || slug;
  const share = sayStorage(home.storage);
  if (!share && lists.every((list) => list.length === 0)) return null;
  return (
    <Section title={t('Needs attention')}>
      <ul class="home-attention">
        {share && (
          <Item icon="database" href="/account/storage" name={t('Storage')} isBad={share.isBad}>
            {share.text}
          </Item>
        )}
        {takenDownPages.map(({ id, name }) => (
          <Item key={`page ${id} down`} icon="page" href={`/pages/${id}`} name={name} isBad>
            {t('Taken down by an administrator')}
          </Item>
        ))}
        {takenDownFunctions.map(({ slug }) => (
          <Item
            key={`function ${slug} down`}
            icon="function"
            href={`/functions/${slug}`}
            name={sayName(slug)}
            isBad
          >
            {t('Taken down by an administrator')}
          </Item>
        ))}
        {failingPages.map(({ id, name, errors }) => (
          <Item key={`page ${id}`} icon="page" href={`/pages/${id}/analytics`} name={name} isBad>
            {t('{count|One error|{count} errors} in visitors’ browsers', { count: errors })}
          </Item>
        ))}
        {failingFunctions.map(({ slug, errors }) => (
          <Item
            key={`function ${slug}`}
            icon="function"
            href={`/functions/${slug}/logs`}
            name={sayName(slug)}
            isBad
          >
            {t('{count|One call|{count} calls} failed', { count: errors })}
          </Item>
        ))}
        {drafts.map(({ id, name, drafts: count }) => (
          <Item key={`draft ${id}`} icon="edit" href={`/pages/${id}/versions`} name={name}>
            {t('{count|One draft is|{count} drafts are} not published', { count })}
          </Item>
        ))}
      </ul>
    </Section>
  );
}

/** What to say when the storage is almost full. */
function sayStorage({ bytes, quota }: Home['storage']): { text: string; isBad: boolean } | undefined {
  const percent = quota ? Math.floor((100 * bytes) / quota) : 0;
  const [first, last] = STORAGE_WARNINGS;
  if (percent < first) return undefined;
  return { text: t('{percent} % of your quota is used', { percent }), isBad: percent >= last };
}

interface ItemProps {
  icon: IconName;
  href: string;
  name: string;
  isBad?: boolean;
  children: ComponentChildren;
}

function Item({ icon, href, name, isBad, children }: ItemProps) {
  return (
    <li>
      <Icon name={icon} />
      <Link href={href}>{name}</Link>
      <span class={isBad ? 'fault' : 'hint'}>{children}</span>
    </li>
  );
}
