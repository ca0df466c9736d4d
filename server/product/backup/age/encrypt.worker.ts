import { Encrypter } from 'age-encryption';
import type { EncryptAnswer, EncryptRequest } from './encrypt.ts';

/** A thread that encrypts one archive: the server has visitors meanwhile. */

const made: Uint8Array[] = [];
let writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
let reading: Promise<void> | undefined;

async function begin(recipients: string[]): Promise<WritableStreamDefaultWriter<Uint8Array>> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const encrypted = await encrypter.encrypt(readable);
  reading = (async () => {
    for await (const piece of encrypted) made.push(piece);
  })();
  return writable.getWriter();
}

self.onmessage = async ({ data }: MessageEvent<EncryptRequest>) => {
  writer ??= await begin(data.recipients);
  if (data.piece) await writer.write(data.piece);
  else {
    await writer.close();
    await reading;
  }
  self.postMessage({ pieces: made.splice(0) } satisfies EncryptAnswer);
};
