/** What a person means by an address: `example.org` is a site, `me@example.org` a mailbox. */
export function toHref(typed: string, paths: readonly string[]): string {
  const text = typed.trim();
  if (text === '' || /^([a-z][a-z0-9+.-]*:|[/#?.])/i.test(text)) return text;
  if (/^[^\s@/]+@[^\s@/]+\.[a-z]{2,}$/i.test(text)) return `mailto:${text}`;
  const [file = ''] = text.split(/[?#]/);
  if (paths.includes(file)) return text;
  return /^([a-z0-9-]+\.)+[a-z]{2,}(:\d+)?([/?#].*)?$/i.test(text) && !/\.html?([?#]|$)/i.test(text)
    ? `https://${text}`
    : text;
}
