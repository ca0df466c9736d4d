/** Escapes text for HTML content and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}

/**
 * Removes one character from the end of a text, however often it is there. The pattern `/=+$/` would take
 * time by the square of a long run that is not at the end.
 */
export function trimTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
