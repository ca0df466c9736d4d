/** Counts characters as people do: an emoji outside the basic plane is one, not two. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** True when every engine can keep the text unchanged: no NUL (PostgreSQL), no lone surrogate (UTF-8). */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Escapes text for HTML content and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}

/** A pattern for SQL's `like … escape '\\'` that finds the text anywhere, whatever is in it. */
export function likePattern(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
