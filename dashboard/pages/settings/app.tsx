import { t } from '../../texts/index.ts';
import { Section, Switch } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply, Flags } from './apply.ts';

interface AppProps {
  page: PageDetail;
  applyNow: (flags: Flags) => void;
  apply: Apply;
}

/** How browsers run the page: for single-page apps, games with threads, and apps that work offline. */
export function AppSection({ page, applyNow, apply }: AppProps) {
  const { isolation } = page;
  const isIsolated = isolation.coop !== undefined && isolation.coep !== undefined;
  const isolate = (isOn: boolean) => {
    const { coop: _, coep: __, ...others } = isolation;
    void apply({
      isolation: isOn ? { ...others, coop: 'same-origin', coep: 'require-corp' } : others,
    });
  };
  return (
    <Section id="behaviour" title={t('App')}>
      <div class="page-switches">
        <Switch
          label={t('Single-page app')}
          hint={t('Addresses below the page that match no file show the page itself.')}
          checked={page.spa}
          onChange={(spa) => applyNow({ spa })}
        />
        <Switch
          label={t('Threads')}
          hint={t(
            'Lets scripts share memory, as large games and video tools do. Files of other sites may no longer load.',
          )}
          checked={isIsolated}
          onChange={isolate}
        />
        <Switch
          label={t('Works offline')}
          hint={t('A script of the page may be its service worker.')}
          checked={isolation.service_worker === true}
          onChange={(service_worker) => void apply({ isolation: { ...isolation, service_worker } })}
        />
      </div>
    </Section>
  );
}
