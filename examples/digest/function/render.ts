import { html } from 'npm:hono@4/html';
import type { Note } from './store.ts';

/** The digest as HTML, for the page and for mail. `html` escapes what people wrote. */
export async function render(title: string, notes: Note[], date: Date): Promise<string> {
  const people = Map.groupBy(notes, ({ author }) => author);
  const day = date.toLocaleDateString('en', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  const made = html`<p class="date">${day}</p>
    <h2>${title}</h2>
    <p class="lead">${describe(notes.length, people.size)}</p>
    ${[...people].map(
      ([author, own]) => html`<section>
        <h3>${author}</h3>
        <ul>
          ${own.map(({ text }) => html`<li>${text}</li>`)}
        </ul>
      </section>`,
    )}`;
  return String(await made);
}

function describe(notes: number, people: number): string {
  const written = notes === 1 ? '1 note' : `${notes} notes`;
  const writers = people === 1 ? '1 person' : `${people} people`;
  return `${written} from ${writers}.`;
}
