import { leaving } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Ask } from '../ui/index.ts';

/** Asks before the person leaves a screen with unsaved work. */
export function Leaving() {
  const go = leaving.value;
  if (!go) return null;
  return (
    <Ask
      title={t('Discard your changes?')}
      submit={t('Discard')}
      cancel={t('Keep editing')}
      onConfirm={go}
      onClose={() => {
        leaving.value = undefined;
      }}
    >
      {t('You have unsaved changes. If you leave this screen, they are lost.')}
    </Ask>
  );
}
