import { t } from '../texts/index.ts';
import { Icon } from '../ui/index.ts';

/** A draft or a version as visitors would see it, cut off from the dashboard. */
export function Rendered({ url, label }: { url: string; label: string }) {
  return (
    <figure class="version-rendered">
      <figcaption>
        <span>{t('Preview')}</span>
        <a href={url} target="_blank" rel="noopener noreferrer">
          {t('Open in a new tab')} <Icon name="external" size={16} />
        </a>
      </figcaption>
      <iframe src={url} title={label} sandbox="allow-scripts allow-forms allow-popups" loading="lazy" />
    </figure>
  );
}
