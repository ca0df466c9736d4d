import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, isLoggedOut, isOffline, isShownByNotice } from '../../api.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button } from '../controls.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { isUnderWay } from './refresh.ts';

/** A value from the service: loading, loaded or failed. */
export interface Loaded<Value> {
  value: Value | undefined;
  error: Error | undefined;
  /** True while it is loaded or reloaded. */
  isLoading: boolean;
  reload(): Promise<void>;
  /** Loads it again, unless that is under way: for whoever looks from time to time, however slow the answers are. */
  refresh(): Promise<void>;
  /** Replaces the value, for changes whose response contains the new one. */
  set(value: Value): void;
}

interface Running {
  controller: AbortController;
  done: Promise<void>;
  begun: number;
}

/** Loads a value when the component mounts and whenever one of `keys` changes. The old value stays until then. */
export function useLoad<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<Pick<Loaded<Value>, 'value' | 'error' | 'isLoading'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const running = useRef<Running>(undefined);

  const load = async (controller: AbortController) => {
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    try {
      const value = await read(controller.signal);
      if (!controller.signal.aborted) setState({ value, error: undefined, isLoading: false });
    } catch (error) {
      if (controller.signal.aborted) return;
      setState(({ value }) => ({ value, error: error as Error, isLoading: false }));
    } finally {
      if (running.current?.controller === controller) running.current = undefined;
    }
  };
  const reload = useCallback(() => {
    running.current?.controller.abort();
    const controller = new AbortController();
    const done = load(controller);
    running.current = { controller, done, begun: Date.now() };
    return done;
  }, keys);
  const refresh = useCallback(async () => {
    const { current } = running;
    await (current && isUnderWay(current.begun) ? current.done : reload());
  }, [reload]);

  useEffect(() => {
    void reload();
    return () => running.current?.controller.abort();
  }, [reload]);

  const set = useCallback((value: Value) => setState({ value, error: undefined, isLoading: false }), []);
  return { ...state, reload, refresh, set };
}

interface ShowProps<Value> {
  loaded: Loaded<Value>;
  /** Shown while loading. It should have the size of the content, so that the layout does not shift. */
  skeleton?: ComponentChildren;
  children: (value: Value) => ComponentChildren;
}

/** Shows the loaded value, the error or a skeleton. */
export function Show<Value>({ loaded, skeleton, children }: ShowProps<Value>) {
  if (loaded.value !== undefined) return <>{children(loaded.value)}</>;
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  return <>{skeleton ?? <Skeleton />}</>;
}

/**
 * What follows: a text, the rows of a table, cards beside each other, a report (numbers above a chart and two lists), a
 * page beside a sheet, a page below a bar, or the same beside its code.
 */
export type SkeletonKind = 'text' | 'rows' | 'cards' | 'report' | 'stage' | 'page' | 'code';

const PARTS: Record<SkeletonKind, number> = {
  text: 4,
  rows: 8,
  cards: 6,
  report: 6,
  stage: 2,
  page: 2,
  code: 3,
};

interface SkeletonProps {
  kind?: SkeletonKind;
  /** The number of lines, rows or cards. */
  lines?: number;
}

/** A placeholder for content that is loading, with the size of what follows. */
export function Skeleton({ kind = 'text', lines = PARTS[kind] }: SkeletonProps) {
  return (
    <div class={`skeleton ${kind}`} role="status" aria-label={t('Loading')}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

interface FailureProps {
  error: Error;
  retry?: () => void;
  /** Where to go if what the screen is about does not exist. */
  wayOut?: ComponentChildren;
}

/** An error, with a button to try again where that can help. */
export function Failure({ error, retry, wayOut }: FailureProps) {
  // The notice at the top of the screen may be gone by now, because something else did load.
  const isSaidAbove = isShownByNotice(error) && (isOffline.value || isLoggedOut.value);
  const isFinal = error instanceof ApiError && error.status === 403;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <div role="alert">
        <Empty title={t('Not found')} icon="search" action={wayOut}>
          {error.message}
        </Empty>
      </div>
    );
  }
  return (
    <div class="notice bad" role="alert">
      <p>{isSaidAbove ? t('This could not be loaded.') : error.message}</p>
      {retry && !isFinal && (
        <Button kind="quiet" onClick={retry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  );
}

interface EmptyProps {
  title: string;
  icon?: IconName;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** Shown instead of an empty list, with what to do next. */
export function Empty({ title, icon, children, action }: EmptyProps) {
  return (
    <div class="empty">
      {icon && <Icon name={icon} size={24} />}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div class="actions">{action}</div>}
    </div>
  );
}

/** Shown for a path that has no screen. */
export function NotFound() {
  return (
    <Empty title={t('Not found')} icon="search" action={<Link href="/pages">{t('Go to your pages')}</Link>}>
      {t('The dashboard has no screen at this URL.')}
    </Empty>
  );
}
