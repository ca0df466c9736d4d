import type { ComponentChildren } from 'preact';
import { t } from '../../texts/index.ts';
import { formatCredits, formatNumber } from '../../ui/index.ts';
import type { PageAnalytics } from './api.ts';

interface Item {
  key: string;
  name: ComponentChildren;
  value: number;
  note?: string;
}

interface ListProps {
  title: string;
  measure: string;
  items: Item[];
  empty?: string;
}

/** Names with their numbers, each with a bar that compares it with the largest. */
function ShareList({ title, measure, items, empty }: ListProps) {
  const largest = Math.max(1, ...items.map(({ value }) => value));
  return (
    <section class="shares" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span>{measure}</span>
      </header>
      {items.length === 0 ? (
        <p class="hint">{empty}</p>
      ) : (
        <ol>
          {items.map(({ key, name, value, note }) => (
            <li key={key}>
              <i style={{ width: `${(100 * value) / largest}%` }} aria-hidden="true" />
              <span>{name}</span>
              {note && <small>{note}</small>}
              <b>{formatNumber(value)}</b>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

export function Referrers({ referrers }: Pick<PageAnalytics, 'referrers'>) {
  const names = { direct: t('Direct, or unknown'), other: t('Other sites') };
  return (
    <ShareList
      title={t('Where visitors come from')}
      measure={t('Views')}
      items={referrers.map(({ kind, host, views }) => ({
        key: host ?? kind,
        name: kind === 'host' ? host : names[kind],
        value: views,
      }))}
      empty={t('Sites that link to this page appear here when someone follows the link.')}
    />
  );
}

export function Devices({ devices }: Pick<PageAnalytics, 'devices'>) {
  const names = { phone: t('Phones'), tablet: t('Tablets'), desktop: t('Computers') };
  return (
    <ShareList
      title={t('Devices')}
      measure={t('Views')}
      items={devices.map(({ device, views }) => ({ key: device, name: names[device], value: views }))}
      empty={t('What visitors use to look at this page appears here.')}
    />
  );
}

/** The documents of a site. */
export function Documents({ paths }: Pick<PageAnalytics, 'paths'>) {
  const names = { page: t('First page'), other: t('Other pages') };
  return (
    <ShareList
      title={t('Pages of this site')}
      measure={t('Views')}
      items={paths.map(({ kind, path, views }) => ({
        key: path ?? kind,
        name: kind === 'file' ? path : names[kind],
        value: views,
      }))}
    />
  );
}

export function Features({ features }: Pick<PageAnalytics, 'features'>) {
  const names: Record<string, string> = {
    ai: t('Chat'),
    image_gen: t('Image generation'),
    image_recognition: t('Image recognition'),
    image_search: t('Image search'),
    spawn: t('New pages'),
  };
  return (
    <ShareList
      title={t('Features')}
      measure={t('Uses')}
      items={features.map(({ feature, uses, credits }) => ({
        key: feature,
        name: names[feature] ?? feature,
        value: uses,
        ...(credits > 0 && { note: t('{credits} credits', { credits: formatCredits(credits) }) }),
      }))}
      empty={t(
        'What visitors use of chat, images and other features appears here, with the credits they spend.',
      )}
    />
  );
}
