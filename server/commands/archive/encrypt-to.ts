import type { Encrypt } from '../../product/backup/index.ts';

/** Encrypts what is written, and passes it on. Waits for the slower of the two, so that little is in memory. */
export async function encryptTo(
  encrypt: Encrypt,
  pass: (piece: Uint8Array) => Promise<void>,
): Promise<{ write(piece: Uint8Array): Promise<void>; end(): Promise<void> }> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encrypted = await encrypt(readable);
  const passing = (async () => {
    for await (const piece of encrypted) await pass(piece);
  })();
  let failure: unknown;
  passing.catch((error: unknown) => {
    failure = error;
    void writer.abort(error).catch(() => undefined);
  });
  return {
    async write(piece) {
      await writer.write(piece).catch((error: unknown) => {
        throw failure ?? error;
      });
    },
    async end() {
      await writer.close();
      await passing;
    },
  };
}
