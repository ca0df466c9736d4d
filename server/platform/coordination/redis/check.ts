import { connect } from './connection.ts';
import { inTime } from './in-time.ts';

const LOOK_MS = 5_000;

/** Reads Redis' version and changes nothing. Throws if it does not respond. */
export async function checkRedis(url: string): Promise<string> {
  const client = await connect(url);
  try {
    const ready = new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.once('error', reject);
    });
    await inTime(ready, LOOK_MS);
    const version = /redis_version:(\S+)/.exec(await inTime(client.info('server'), LOOK_MS))?.[1];
    return version ? `Redis ${version}` : 'Redis';
  } finally {
    client.disconnect();
  }
}
