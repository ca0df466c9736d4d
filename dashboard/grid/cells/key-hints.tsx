import { t } from '../../texts/index.ts';

/** The keys of a table, for people with a keyboard. */
export function KeyHints() {
  return (
    <span class="grid-keys hint">
      <span>
        <kbd>↵</kbd> {t('edit')}
      </span>
      <span>
        <kbd>{t('Space')}</kbd> {t('open')}
      </span>
    </span>
  );
}
