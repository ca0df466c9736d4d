import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Show, Skeleton, useLoad, useShortcuts } from '../../ui/index.ts';
import { type FunctionDetail, readCode } from '../api.ts';
import type { Modules } from '../modules/index.tsx';
import { CodePane } from './code-pane.tsx';
import { TestConsole } from './test-console.tsx';

/** The code editor and a console to call the function. */
export function CodePart({
  item,
  onDeployed,
}: {
  item: FunctionDetail;
  onDeployed: (item: FunctionDetail) => void;
}) {
  const loaded = useLoad((signal) => readCode(item.slug, signal), [item.slug]);
  /** What the editor shows, once it has loaded. */
  const [modules, setModules] = useState<Modules>();
  useShortcuts([
    { keys: 'Mod+S', label: t('Deploy the function'), group: t('This screen') },
    { keys: 'Mod+Enter', label: t('Call the function, in the body of the test'), group: t('This screen') },
  ]);
  return (
    <div class="fn-code">
      <Show loaded={loaded} skeleton={<Skeleton lines={14} />}>
        {(deployed) => (
          <CodePane
            item={item}
            deployed={deployed}
            onModules={setModules}
            onDeployed={(next, code) => {
              loaded.set(code);
              onDeployed(next);
            }}
          />
        )}
      </Show>
      <TestConsole item={item} modules={modules} />
    </div>
  );
}
