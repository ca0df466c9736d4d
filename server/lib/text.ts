/** Escapes text for HTML content and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}
