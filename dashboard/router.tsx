import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Where the person is. Paths are real ones, so that a reload, a link and the back button all work. */
export const path = signal(location.pathname);

/** `to` is the address one is about to go to; none when the whole window goes. */
type Guard = (to?: string) => boolean;
const guards = new Set<Guard>();

/** Goes to another screen of the dashboard, unless the one left wants to be asked first and says no. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === location.pathname || !mayLeave(to)) return;
  history[options.replace ? 'replaceState' : 'pushState'](null, '', to);
  arrive();
}

/** Asks before the screen is left, while `hasUnsavedWork` says so for where one goes. Returns the way to stop asking. */
export function guardLeaving(hasUnsavedWork: (to?: string) => boolean): () => void {
  const guard: Guard = (to) =>
    !hasUnsavedWork(to) || confirm('There are changes that are not saved. Leave without them?');
  const beforeUnload = (event: BeforeUnloadEvent) => {
    if (hasUnsavedWork()) event.preventDefault();
  };
  guards.add(guard);
  addEventListener('beforeunload', beforeUnload);
  return () => {
    guards.delete(guard);
    removeEventListener('beforeunload', beforeUnload);
  };
}

/** Asks before the screen is left while `hasUnsavedWork`; put false into what it returns just before leaving on purpose. */
export function useLeavingGuard(hasUnsavedWork: boolean) {
  const latest = useRef(hasUnsavedWork);
  latest.current = hasUnsavedWork;
  useEffect(() => guardLeaving(() => latest.current), []);
  return latest;
}

const mayLeave = (to: string) => [...guards].every((guard) => guard(to));

function arrive(): void {
  path.value = location.pathname;
  scrollTo(0, 0);
}

addEventListener('popstate', () => {
  if (location.pathname === path.value) return;
  if (mayLeave(location.pathname)) return arrive();
  // Too late to keep the address: put it back.
  history.pushState(null, '', path.value);
});

/** The parts of a path after a prefix: `/pages/12/data` behind `/pages` is `['12', 'data']`. */
export function partsBehind(prefix: string): string[] | undefined {
  const here = path.value;
  if (here !== prefix && !here.startsWith(`${prefix}/`)) return undefined;
  return here.slice(prefix.length).split('/').filter(Boolean).map(decode);
}

/** An address may hold what nobody encoded; then it is what it says. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

interface LinkProps {
  href: string;
  class?: string;
  /** Marks the link to where one is. */
  current?: boolean;
  label?: string;
  children: ComponentChildren;
}

/** A link that changes the screen without a reload; a click with a modifier does what browsers do. */
export function Link({ href, current, label, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a
      href={href}
      onClick={follow}
      {...rest}
      {...(current && { 'aria-current': 'page' })}
      {...(label && { 'aria-label': label })}
    >
      {children}
    </a>
  );
}
