import { Show, Skeleton, useLoad } from '../../ui/index.ts';
import { type FunctionDetail, readCode } from '../api.ts';
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
  return (
    <div class="fn-code">
      <Show loaded={loaded} skeleton={<Skeleton lines={14} />}>
        {(deployed) => (
          <CodePane
            item={item}
            deployed={deployed}
            onDeployed={(next, code) => {
              loaded.set(code);
              onDeployed(next);
            }}
          />
        )}
      </Show>
      <TestConsole slug={item.slug} />
    </div>
  );
}
