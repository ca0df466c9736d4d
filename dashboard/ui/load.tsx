import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { Link } from '../router.tsx';
import { Button } from './controls.tsx';

/** Something read from the service: on its way, there, or refused. */
export interface Loaded<Value> {
  value: Value | undefined;
  error: Error | undefined;
  /** True while it is on its way, also for the second time. */
  isLoading: boolean;
  reload(): Promise<void>;
  /** Puts a newer value in place, after a change that said what became of it. */
  set(value: Value): void;
}

/** Reads something when the screen appears and whenever one of `keys` changes. What was read stays until then. */
export function useLoad<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<Pick<Loaded<Value>, 'value' | 'error' | 'isLoading'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const running = useRef<AbortController>(undefined);

  const reload = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    try {
      const value = await read(controller.signal);
      if (!controller.signal.aborted) setState({ value, error: undefined, isLoading: false });
    } catch (error) {
      if (controller.signal.aborted) return;
      setState(({ value }) => ({ value, error: error as Error, isLoading: false }));
    }
  }, keys);

  useEffect(() => {
    void reload();
    return () => running.current?.abort();
  }, [reload]);

  const set = useCallback((value: Value) => setState({ value, error: undefined, isLoading: false }), []);
  return { ...state, reload, set };
}

interface ShowProps<Value> {
  loaded: Loaded<Value>;
  /** What stands there meanwhile; as large as what comes, so that nothing jumps. */
  skeleton?: ComponentChildren;
  children: (value: Value) => ComponentChildren;
}

/** Shows what was loaded, or how that stands. */
export function Show<Value>({ loaded, skeleton, children }: ShowProps<Value>) {
  if (loaded.value !== undefined) return <>{children(loaded.value)}</>;
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  return <>{skeleton ?? <Skeleton />}</>;
}

/** Lines that stand for a text on its way. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** What went wrong, and a way on. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  // The frame of the dashboard tells of that, once for everything on the screen.
  const isLogin = error instanceof ApiError && error.code === 'LOGGED_OUT';
  const isFinal = error instanceof ApiError && (error.status === 403 || error.status === 404);
  return (
    <div class="notice bad" role="alert">
      <p>{isLogin ? 'This could not be loaded.' : error.message}</p>
      {retry && !isFinal && (
        <Button kind="quiet" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** Nothing there yet, and what one could do about it. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div class="actions">{action}</div>}
    </div>
  );
}

/** An address that leads to nothing. */
export function Nowhere() {
  return (
    <Empty title="Nothing here" action={<Link href="/pages">Go to your pages</Link>}>
      This address leads nowhere in the dashboard.
    </Empty>
  );
}
