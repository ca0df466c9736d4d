import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Icon, ScreenHead } from '../../ui/index.ts';
import { WishBox } from '../../wish/index.ts';
import { TemplateGallery } from './templates.tsx';

/** Where a page begins: a description, a template, or what the person made elsewhere. */
export function NewPageScreen() {
  return (
    <>
      <ScreenHead back={{ href: '/pages', label: t('Pages') }} title={t('New page')} />
      <StartHere />
    </>
  );
}

/** The same for the empty list of pages, which has its own heading. */
export function StartHere() {
  return (
    <>
      <WishBox />
      <section class="page-start" aria-label={t('Templates')}>
        <div class="page-start-head">
          <div>
            <h2>{t('Start from a template')}</h2>
            <p class="faint">
              {t(
                'Each is a complete page with its function, data and rules. One click publishes it, and you can change all of it.',
              )}
            </p>
          </div>
          <Link class="button quiet" href="/pages/import">
            <Icon name="upload" />
            {t('Import')}
          </Link>
        </div>
        <TemplateGallery />
      </section>
    </>
  );
}
