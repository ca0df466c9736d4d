import { html } from 'npm:hono@4/html';
import type { Note } from './store.ts';

/** The digest as HTML that could also be sent by mail. `html` escapes what people wrote. */
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
    <p class="lead">${count(notes.length, 'note')} from ${count(people.size, 'person', 'people')}.</p>
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

function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
