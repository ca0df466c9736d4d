/** The name and logo of this server, which the document brings along. */
const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

export const instance = {
  name: read('instance') ?? 'Quire',
  logo: read('instance-logo'),
};
