import { t } from '../texts/index.ts';
import { Dialog, Keys, type Shortcut, shortcuts } from '../ui/index.ts';

/** All keyboard shortcuts that work on the current screen. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of shortcuts.value) {
    const group = shortcut.group ?? t('Everywhere');
    groups.set(group, [...(groups.get(group) ?? []), shortcut]);
  }
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <div class="key-help">
        {[...groups].map(([group, listed]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {listed.map(({ keys, label }) => (
                <div key={keys + label}>
                  <dt>{label}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
