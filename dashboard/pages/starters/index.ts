import blank from './blank.html' with { type: 'text' };
import contact from './contact.html' with { type: 'text' };
import guestbookFunction from './guestbook.function.js' with { type: 'text' };
import guestbook from './guestbook.html' with { type: 'text' };
import todo from './todo.html' with { type: 'text' };
import wall from './wall.html' with { type: 'text' };

/** The sources of the starters, loaded when they are first used. */

const PAGES = { blank, contact, todo, wall };

/** The HTML of a starter, with the name of the new page. */
export const starterHtml = (key: keyof typeof PAGES, name: string) =>
  PAGES[key].replaceAll('__NAME__', escapeHtml(name));

/** The HTML of the guestbook, which calls the function with this slug. */
export const guestbookHtml = (slug: string) => guestbook.replaceAll('__FUNCTION__', slug);

/** The source of the function behind the guestbook. */
export const guestbookCode: string = guestbookFunction;

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (letter) => names[letter] ?? letter);
}
