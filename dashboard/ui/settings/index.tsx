import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { useScrollingRow } from '../scrolling-row.ts';

/** Sections of settings beside an index of them: those that have an id, in their order. */
export function Settings({ children }: { children: ComponentChildren }) {
  const sections = useRef<HTMLDivElement>(null);
  const row = useRef<HTMLDivElement>(null);
  const [entries, setEntries] = useState<Entry[]>([]);
  const current = useCurrent(entries);
  useScrollingRow(row, '[aria-current]', current);
  // Which sections there are depends on what is set, so they are read from the screen after every change.
  useLayoutEffect(() => {
    const found = readEntries(sections.current);
    if (JSON.stringify(found) !== JSON.stringify(entries)) setEntries(found);
  });
  useEffect(() => {
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, []);
  return (
    <div class="settings">
      <nav class="settings-index" aria-label={t('Sections')}>
        <div ref={row}>
          {entries.map(({ id, title }) => (
            <a key={id} href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
              {title}
            </a>
          ))}
        </div>
      </nav>
      <div class="settings-sections" ref={sections}>
        {children}
      </div>
    </div>
  );
}

interface Entry {
  id: string;
  title: string;
}

const readEntries = (place: HTMLElement | null): Entry[] =>
  [...(place?.querySelectorAll('.section[id]') ?? [])].map((section) => ({
    id: section.id,
    title: section.querySelector('h2')?.textContent ?? '',
  }));

/** How far below the top of the window a section may begin and still be the one that is read, in pixels. */
const READING = 140;

/** The section that is being read: the last that has begun above the reading line, or the last of all at the end. */
function useCurrent(entries: Entry[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const look = () => {
      const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
      const begun = entries.filter(({ id }) => {
        const section = document.getElementById(id);
        return atEnd || (section !== null && section.getBoundingClientRect().top < READING);
      });
      setCurrent((begun.at(-1) ?? entries[0])?.id);
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [entries]);
  return current;
}
