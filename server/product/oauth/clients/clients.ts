import { COMMAND_LINE_CLIENT } from '../../../../contract/oauth/protocol.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findClient } from '../store.ts';
import type { Client } from './client.ts';
import type { ClientDocuments } from './documents.ts';
import { assertNotOurs } from './metadata.ts';

/** The publisher of our own programs. */
export const OURSELVES = 'Quire';

/** Our own command line, which uses only device codes. */
const COMMAND_LINE: Client = {
  id: COMMAND_LINE_CLIENT,
  name: 'Quire command line',
  redirectUris: [],
  publishedBy: OURSELVES,
};

/** Finds apps by their id: our own, registered ones, and those whose id is the URL of their document. */
export class Clients {
  readonly #db: Db;
  readonly #documents: ClientDocuments;

  constructor(options: { db: Db; documents: ClientDocuments }) {
    this.#db = options.db;
    this.#documents = options.documents;
  }

  /** Finds an app. Fetching a document is limited per `address`. */
  async find(clientId: string, address: string): Promise<Client | undefined> {
    if (clientId === COMMAND_LINE.id) return COMMAND_LINE;
    const client = this.#documents.isUrl(clientId)
      ? await this.#documents.find(clientId, address)
      : await this.#registered(clientId);
    // Check apps that are already registered too: the service can have another name since. A host is not a name.
    if (client && client.name !== client.publishedBy) assertNotOurs(client.name, 'invalid_client');
    return client;
  }

  async #registered(clientId: string): Promise<Client | undefined> {
    const row = await findClient(this.#db, clientId);
    return row && { id: clientId, name: row.name, redirectUris: JSON.parse(row.redirect_uris) as string[] };
  }
}
