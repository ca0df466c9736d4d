import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button } from '../controls.tsx';
import { Failure, Skeleton } from './load.tsx';

/** A part of the dashboard with a script file of its own, which loads when somebody opens or approaches it. */
type Chunk<Props> = ((props: Props) => ComponentChildren) & { prefetch(): void };

/**
 * `load` imports the file: `lazy(() => import('./data/index.tsx').then((file) => file.DataScreen))`. `waiting` is shown
 * until it is there, and has the size of what follows.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: (props: Props) => ComponentChildren = () => <Skeleton lines={8} />,
): Chunk<Props> {
  let loaded: ComponentType<Props> | undefined;
  const fetchFile = async () => {
    loaded ??= await load();
  };

  const Lazy = (props: Props) => {
    const [failure, setFailure] = useState<Error>();
    const [, setLoaded] = useState(loaded !== undefined);
    const start = () => {
      setFailure(undefined);
      return fetchFile().then(() => setLoaded(true), setFailure);
    };
    // Also if it is loaded by now: a prefetch may have ended after this was drawn without it.
    useEffect(() => void start(), []);
    const Part = loaded;
    if (Part) return <Part {...props} />;
    return failure ? <ChunkFailure retry={start} /> : waiting(props);
  };
  return Object.assign(Lazy, { prefetch: () => void fetchFile().catch(() => undefined) });
}

/** Files are named after their content: after an update of the service, the ones of this window may be gone. */
async function isOutdated(): Promise<boolean> {
  const script = import.meta.url.split('/').pop() ?? '';
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } });
  return response.ok && !(await response.text()).includes(script);
}

function ChunkFailure({ retry }: { retry: () => Promise<void> }) {
  const [hasUpdate, setUpdate] = useState(false);
  useEffect(() => {
    // Without a connection, trying again is what helps.
    isOutdated().then(setUpdate, () => undefined);
  }, []);
  if (hasUpdate) {
    return (
      <div class="notice warn" role="alert">
        <p>{t('Quire was updated. Reload to continue.')}</p>
        <Button kind="quiet" onClick={() => location.reload()}>
          {t('Reload')}
        </Button>
      </div>
    );
  }
  const error = new Error(
    t('This part of the dashboard could not be loaded. Check your connection, then try again.'),
  );
  return <Failure error={error} retry={() => void retry()} />;
}
