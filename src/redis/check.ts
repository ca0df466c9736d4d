import { connect } from './connection.ts';

const LOOK_MS = 5_000;

/** Asks Redis for its version, and changes nothing; throws when it does not answer. */
export async function checkRedis(url: string): Promise<string> {
  const client = connect(url);
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = setTimeout(() => reject(new Error('no connection')), LOOK_MS);
      client.once('ready', () => {
        clearTimeout(giveUp);
        resolve();
      });
      client.once('error', (error) => {
        clearTimeout(giveUp);
        reject(error);
      });
    });
    const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1];
    return version ? `Redis ${version}` : 'Redis';
  } finally {
    client.disconnect();
  }
}
