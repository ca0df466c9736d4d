/** An app that asks for access. Everything about it is what it says itself. */
export interface Client {
  id: string;
  name: string;
  redirectUris: readonly string[];
  /**
   * The host of its document, which only the owner of that host can change, or our own name for a part of Quire.
   * Undefined if it registered itself.
   */
  publishedBy?: string;
}
