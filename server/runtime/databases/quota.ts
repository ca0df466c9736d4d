/** Says how many bytes databases may use. A placement needs one of the two, depending on what it counts. */
export interface DatabaseQuota {
  /** Where files are counted: the bytes that all databases of an owner may use together. */
  remaining(ownerId: number): Promise<number>;
  /** Where grants are counted: charges an owner for the bytes that a host asks for. */
  grant: GrantBytes;
}

/** Charges an owner for a database that is to have `bytes`. Returns what it may have, which is at least that, or why not. */
export type GrantBytes = (
  ownerId: number,
  databaseId: number,
  bytes: number,
) => Promise<number | 'quota exceeded' | 'not found'>;

/** The quota is known only after the slice that counts it has started. No host gets a byte before. */
export class QuotaSource implements DatabaseQuota {
  private source: DatabaseQuota | undefined;

  set(source: DatabaseQuota): void {
    this.source = source;
  }

  async remaining(ownerId: number): Promise<number> {
    return this.current().remaining(ownerId);
  }

  async grant(...request: Parameters<GrantBytes>): ReturnType<GrantBytes> {
    return this.current().grant(...request);
  }

  private current(): DatabaseQuota {
    if (!this.source) throw new Error('the quota of databases is not set');
    return this.source;
  }
}
