import { toAccent } from '../../../contract/rules/colors.ts';
import { t } from '../../texts/index.ts';
import { Mark, Section } from '../../ui/index.ts';

interface PreviewProps {
  name: string;
  tagline: string;
  logo: string | null;
  color: string;
}

/** What visitors see, before it is saved: once on light screens, once on dark ones. */
export function InstancePreview({ name, tagline, logo, color }: PreviewProps) {
  const { light, onLight, dark, onDark } = toAccent(color);
  return (
    <Section title={t('Preview')}>
      <div class="instance-previews">
        {(['light', 'dark'] as const).map((scheme) => (
          <figure
            key={scheme}
            class={`instance-${scheme}`}
            style={{
              '--accent': scheme === 'light' ? light : dark,
              '--on-accent': scheme === 'light' ? onLight : onDark,
            }}
          >
            <p class="instance-brand">
              {logo ? <img src={logo} alt="" width="24" height="24" /> : <Mark />}
              {name.trim() || t('Name')}
            </p>
            <strong>{tagline.trim() || t('Say it, and it is a page')}</strong>
            <p>
              <span class="instance-button">{t('Create an account')}</span>{' '}
              <span class="instance-link">{t('Log in')}</span>
            </p>
            <figcaption class="hint">{scheme === 'light' ? t('Light') : t('Dark')}</figcaption>
          </figure>
        ))}
      </div>
    </Section>
  );
}
