import { batch, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The current path. Paths are real URLs, so reloading, links and the back button all work. */
export const path = signal(location.pathname);

/** The query of the current URL: what a list shows, so that reloading, links and the back button keep it. */
export const search = signal(location.search);

/** Changes the query of the current URL. `isTyping` keeps one step of the back button for many letters. */
export function setSearch(parameters: URLSearchParams, isTyping = false): void {
  const next = parameters.size > 0 ? `?${parameters}` : '';
  if (next === location.search) return;
  history[isTyping ? 'replaceState' : 'pushState'](null, '', location.pathname + next);
  search.value = next;
}

/** Whether work would be lost. `to` is the path to navigate to, or undefined when the window is closed. */
type Guard = (to?: string) => boolean;
const guards = new Set<Guard>();

/** Goes to the screen that the person wants to see although work would be lost, until they have decided. */
export const leaving = signal<(() => void) | undefined>(undefined);

/** Goes to another screen of the dashboard. Asks first if work would be lost. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  const go = () => {
    history[options.replace ? 'replaceState' : 'pushState'](null, '', to);
    arrive();
  };
  if (wouldLose(to)) leaving.value = go;
  else go();
}

/** Asks before the person leaves the screen if `hasUnsavedWork` returns true. Returns a function that removes the guard. */
export function guardLeaving(hasUnsavedWork: Guard): () => void {
  const guard: Guard = (to) => hasUnsavedWork(to);
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

/** Asks before the person leaves with unsaved work. Set the returned ref to false before navigating away on purpose. */
export function useLeavingGuard(hasUnsavedWork: boolean) {
  const latest = useRef(hasUnsavedWork);
  latest.current = hasUnsavedWork;
  useEffect(() => guardLeaving(() => latest.current), []);
  return latest;
}

const wouldLose = (to: string) => [...guards].some((guard) => guard(to));

function arrive(): void {
  leaving.value = undefined;
  batch(() => {
    path.value = location.pathname;
    search.value = location.search;
  });
  scrollTo(0, 0);
}

/** The person has decided to lose their work, and the browser is going where they want. */
let isDecided = false;

addEventListener('popstate', () => {
  const mayLeave = isDecided;
  isDecided = false;
  if (location.pathname === path.value) {
    search.value = location.search;
    return;
  }
  if (mayLeave || !wouldLose(location.pathname)) return arrive();
  // The browser has already changed the URL: restore it. The one that the person wants is then one step back.
  history.pushState(null, '', path.value + search.value);
  leaving.value = () => {
    isDecided = true;
    history.back();
  };
});

/** The parts of a path after a prefix: `/pages/12/data` behind `/pages` is `['12', 'data']`. */
export function partsBehind(prefix: string, here = path.value): string[] | undefined {
  if (here !== prefix && !here.startsWith(`${prefix}/`)) return undefined;
  return here.slice(prefix.length).split('/').filter(Boolean).map(decode);
}

/** Returns the part unchanged if it is not valid percent-encoding. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Approached = (href: string) => void;
const approached = new Set<Approached>();

/** Calls `listener` when the pointer or the focus is on a link, so that what it leads to can load before the click. */
export function onApproach(listener: Approached): void {
  approached.add(listener);
}

/** The person will probably open this path next. */
export function approach(href: string): void {
  for (const listener of approached) listener(href);
}

interface LinkProps {
  href: string;
  class?: string;
  /** Marks the link to the current screen. */
  current?: boolean;
  label?: string;
  children: ComponentChildren;
}

/** A link that changes the screen without a reload. Clicks with a modifier key keep their usual meaning. */
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
      onPointerEnter={() => approach(href)}
      onFocus={() => approach(href)}
      {...rest}
      {...(current && { 'aria-current': 'page' })}
      {...(label && { 'aria-label': label })}
    >
      {children}
    </a>
  );
}
