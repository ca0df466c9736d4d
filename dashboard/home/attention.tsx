import type { ComponentChildren } from 'preact';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Icon, type IconName, Section } from '../ui/index.ts';
import type { Everything } from './api.ts';

/** What was taken down, errors of the last day, and changes that nobody sees yet. Nothing if all is well. */
export function Attention({ home, functions }: Pick<Everything, 'home' | 'functions'>) {
  const { takenDownPages, takenDownFunctions, failingPages, failingFunctions, drafts } = home;
  const { openReports, reportedPages } = home;
  const lists = [takenDownPages, takenDownFunctions, failingPages, failingFunctions, drafts, reportedPages];
  const sayName = (slug: string) => functions.find((each) => each.slug === slug)?.displayName || slug;
  if (openReports === 0 && lists.every((list) => list.length === 0)) return null;
  return (
    <Section title={t('Needs attention')}>
      <ul class="home-attention">
        {openReports > 0 && (
          <Item icon="warning" href="/admin/reports" name={t('Reports')} isBad>
            {t('{count|One report|{count} reports} of visitors to decide', { count: openReports })}
          </Item>
        )}
        {reportedPages.map(({ id, name, reports }) => (
          <Item key={`page ${id} reports`} icon="page" href={`/pages/${id}/reports`} name={name} isBad>
            {t('{count|A visitor has|{count} visitors have} reported this page', { count: reports })}
          </Item>
        ))}
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
