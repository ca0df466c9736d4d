/** Escapes text for HTML content and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}

/** A pattern for SQL's `like … escape '\\'` that finds the text anywhere, whatever is in it. */
export function likePattern(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
