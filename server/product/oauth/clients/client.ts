/** An app that asks for access. Everything about it is what it says itself. */
export interface Client {
  id: string;
  name: string;
  redirectUris: readonly string[];
  /** Where its document is, which only the owner of that host can change; undefined if it registered itself. */
  publishedAt?: string;
}
