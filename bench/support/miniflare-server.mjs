// Runs on node, with miniflare installed in the working folder. Argument: what `new Miniflare` takes, as JSON.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(join(process.cwd(), 'package.json'));
const { Miniflare } = await import(pathToFileURL(resolve('miniflare')));
const miniflare = new Miniflare(JSON.parse(process.argv[2]));
console.log((await miniflare.ready).href);

// It ends with the process that started it, however that ends.
process.stdin.resume();
for (const event of ['end', 'error']) process.stdin.once(event, stop);
process.once('SIGTERM', stop);

async function stop() {
  await miniflare.dispose();
  process.exit();
}
