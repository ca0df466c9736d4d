import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Badge, Choice, Icon } from '../../ui/index.ts';

interface FramesProps {
  /** Undefined while it is loaded. */
  then: { url: string; label: string; isSame: boolean } | undefined;
  now: string | undefined;
  isNow: boolean;
}

/** The page as it was beside the page as it is. Where there is no place for both, one of them. */
export function Frames({ then, now, isNow }: FramesProps) {
  const [side, setSide] = useState<'then' | 'now'>('then');
  if (isNow)
    return (
      <div class="moment-frames one">
        <Frame title={t('Now')} url={now} />
      </div>
    );
  return (
    <>
      <Choice
        class="moment-sides"
        label={t('What is shown')}
        value={side}
        options={[
          ['then', t('As it was')],
          ['now', t('As it is')],
        ]}
        onChoose={setSide}
      />
      <div class={`moment-frames shows-${side}`}>
        <Frame title={then?.label ?? t('As it was')} url={then?.url} isSame={then?.isSame ?? false} />
        <Frame title={t('Now')} url={now} />
      </div>
    </>
  );
}

function Frame({ title, url, isSame = false }: { title: string; url: string | undefined; isSame?: boolean }) {
  return (
    <figure class="moment-frame">
      <figcaption>
        <strong>{title}</strong>
        {isSame && <Badge>{t('Same as now')}</Badge>}
        {url && (
          <a href={url} target="_blank" rel="noopener noreferrer" aria-label={t('Open in a new tab')}>
            <Icon name="external" size={16} />
          </a>
        )}
      </figcaption>
      <div class="moment-window">
        {url && (
          // A frame that changes its address would add a step to the back button.
          <iframe
            key={url}
            src={url}
            title={t('Preview: {title}', { title })}
            sandbox="allow-scripts allow-forms allow-popups"
          />
        )}
      </div>
    </figure>
  );
}
