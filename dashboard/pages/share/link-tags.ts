/** What the author of a document wrote for links to it. */
export interface LinkTags {
  title?: string | undefined;
  description?: string | undefined;
  image?: string | undefined;
}

/** Reads the tags that messengers read. They are in the document, so nothing of it runs. */
export function readLinkTags(html: string): LinkTags {
  const document = new DOMParser().parseFromString(html, 'text/html');
  const read = (name: string) =>
    document
      .querySelector<HTMLMetaElement>(`meta[property="og:${name}" i], meta[name="og:${name}" i]`)
      ?.content.trim() || undefined;
  return { title: read('title'), description: read('description'), image: read('image') };
}
